// Roles of columns in model files.
#pragma once

#include "base/json.h"
#include "learn/features/roles.h"

namespace reckon::learn {

base::Json RolesToJson(const Roles& roles, const Schema& schema);
// A role that the file does not mention, being older, is guessed as FindRoles does. kCorrupt when
// one names no column of its kind.
base::Result<Roles> RolesFromJson(const base::Json& json, const Schema& schema);

}  // namespace reckon::learn
