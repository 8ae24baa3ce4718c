#include "decide/design/cover.h"

#include <set>

namespace reckon::decide {
namespace {

// A level of a category, or an end of a number, by its value.
using Goal = std::pair<size_t, double>;

std::vector<Goal> GoalsAt(const Space& space, size_t row) {
  std::vector<Goal> goals;
  const std::vector<learn::InputColumn>& inputs = space.inputs.schema.inputs;
  for (size_t j = 0; j < inputs.size(); ++j) {
    const double value =
        space.inputs.x(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(j));
    const bool is_goal = inputs[j].kind == core::ColumnKind::kCategory || value == inputs[j].min ||
                         value == inputs[j].max;
    if (is_goal) goals.emplace_back(j, value);
  }
  return goals;
}

}  // namespace

std::vector<size_t> NewlyCovered(const Space& space, std::span<const size_t> seen,
                                 std::span<const size_t> rows) {
  std::set<Goal> covered;
  for (const size_t row : seen) {
    for (const Goal& goal : GoalsAt(space, row)) covered.insert(goal);
  }
  std::vector<size_t> counts;
  for (const size_t row : rows) {
    size_t count = 0;
    for (const Goal& goal : GoalsAt(space, row)) count += covered.contains(goal) ? 0 : 1;
    counts.push_back(count);
  }
  return counts;
}

}  // namespace reckon::decide
