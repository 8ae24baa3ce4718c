// The roles of columns, in the light of what is asked.
#pragma once

#include "learn/features/roles.h"
#include "learn/question.h"

namespace reckon::learn {

// As FindRoles; when nobody could name the column that counts workers, the one to extrapolate along
// is taken for it.
base::Result<Roles> RolesForQuestion(const Schema& schema, const RoleNames& names,
                                     const Question& question);

}  // namespace reckon::learn
