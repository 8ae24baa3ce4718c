#include "learn/search/question_roles.h"

#include <algorithm>

namespace reckon::learn {

base::Result<Roles> RolesForQuestion(const Schema& schema, const RoleNames& names,
                                     const Question& question) {
  RECKON_ASSIGN(Roles roles, FindRoles(schema, names));
  const std::optional<size_t>& column = question.extrapolate;
  // What a column is known for, it does not count.
  const bool known =
      column && (column == roles.size || column == roles.batch || column == roles.bytes ||
                 column == roles.work || column == roles.activations || column == roles.epochs);
  const bool usable = column && !known && schema.inputs[*column].min > 0;
  if (roles.workers || !usable) return roles;
  roles.workers = column;
  const auto at = std::lower_bound(roles.extrinsic.begin(), roles.extrinsic.end(), *column);
  if (names.extrinsic.empty() && (at == roles.extrinsic.end() || *at != *column)) {
    roles.extrinsic.insert(at, *column);
  }
  return roles;
}

}  // namespace reckon::learn
