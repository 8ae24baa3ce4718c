#include "learn/features/roles_json.h"

#include <array>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace reckon::learn {
namespace {

struct OneColumn {
  const char* key;
  std::optional<size_t> Roles::*column;
  core::ColumnKind kind = core::ColumnKind::kNumber;
};

constexpr std::array<OneColumn, 11> kColumns{
    OneColumn{"workers", &Roles::workers},
    OneColumn{"size", &Roles::size},
    OneColumn{"nodes", &Roles::nodes},
    OneColumn{"batch", &Roles::batch},
    OneColumn{"bytes", &Roles::bytes},
    OneColumn{"servers", &Roles::servers},
    OneColumn{"machine", &Roles::machine, core::ColumnKind::kCategory},
    OneColumn{"work", &Roles::work},
    OneColumn{"activations", &Roles::activations},
    OneColumn{"threads", &Roles::threads},
    OneColumn{"epochs", &Roles::epochs}};

base::Result<size_t> FindColumn(const base::Json& name, const Schema& schema,
                                core::ColumnKind kind) {
  if (name.is_string()) {
    const auto column = schema.FindInput(name.get<std::string>());
    if (column.ok() && schema.inputs[*column].kind == kind) return *column;
  }
  return base::Corrupt(
      fmt::format("roles name a column that is no {} of the model's", core::ColumnKindName(kind)));
}

}  // namespace

base::Json RolesToJson(const Roles& roles, const Schema& schema) {
  base::Json json;
  for (const OneColumn& role : kColumns) {
    const std::optional<size_t>& column = roles.*role.column;
    json[role.key] = column ? base::Json(schema.inputs[*column].name) : base::Json();
  }
  json["extrinsic"] = base::Json::array();
  for (const size_t column : roles.extrinsic) {
    json["extrinsic"].push_back(schema.inputs[column].name);
  }
  return json;
}

base::Result<Roles> RolesFromJson(const base::Json& json, const Schema& schema) {
  if (!json.is_object() || !json.contains("workers") || !json.contains("size") ||
      !json.contains("extrinsic") || !json["extrinsic"].is_array()) {
    return base::Corrupt("roles need 'workers', 'size' and 'extrinsic'");
  }
  RECKON_ASSIGN(Roles roles, FindRoles(schema, {}));
  for (const OneColumn& role : kColumns) {
    if (!json.contains(role.key)) continue;
    std::optional<size_t>& column = roles.*role.column;
    column.reset();
    if (json[role.key].is_null()) continue;
    RECKON_ASSIGN(column, FindColumn(json[role.key], schema, role.kind));
  }
  roles.extrinsic.clear();
  for (const base::Json& name : json["extrinsic"]) {
    RECKON_ASSIGN(const size_t column, FindColumn(name, schema, core::ColumnKind::kNumber));
    roles.extrinsic.push_back(column);
  }
  return roles;
}

}  // namespace reckon::learn
