#include "serve/job_body.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace reckon::serve {

base::Status ReadChanges(base::FieldReader& fields, std::vector<spec::Override>& changes) {
  const base::Json* sets = fields.List("set");
  if (sets == nullptr) return {};
  for (const base::Json& entry : *sets) {
    base::FieldReader one(entry, fmt::format("set[{}]", changes.size()));
    spec::Override change;
    one.Require("path");
    one.Require("value");
    one.Read("path", change.path);
    one.Read("value", change.value);
    RECKON_TRY(one.Check());
    changes.push_back(std::move(change));
  }
  return {};
}

base::Status ReadJobFields(base::FieldReader& fields, const Caller& caller, app::JobText& job) {
  fields.Require("job");
  fields.Read("job", job.text);
  fields.Read("source", job.source);
  fields.Read("user", job.user);
  fields.Read("project", job.project);
  fields.Read("model", job.model);
  fields.Read("bundle", job.bundle);
  RECKON_TRY(ReadChanges(fields, job.overrides));
  if (caller.scope != core::TokenScope::kAdmin) job.user = caller.user;
  if (!caller.project.empty()) job.project = caller.project;
  return {};
}

}  // namespace reckon::serve
