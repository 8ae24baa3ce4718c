#include "app/manage/managed_json.h"

#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/field_reader.h"

namespace reckon::app {
namespace {

using base::FieldReader;
using base::Json;
using base::Result;
using watch::Part;

Json OrNull(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json EndJson(const watch::PartEnd& end) {
  return {{"state", core::RunStateName(end.state)}, {"reason", end.reason}, {"at", end.at}};
}

Json PartJson(const Part& part) {
  return {{"node", part.node},
          {"workers", part.workers},
          {"price_per_hour", part.price_per_hour},
          {"want", watch::WantName(part.want)},
          {"ready", part.ready},
          {"gone", part.gone},
          {"lost", part.lost},
          {"forgotten", part.forgotten},
          {"began_at", OrNull(part.began_at)},
          {"settled", part.settled},
          {"running", part.running},
          {"trained", part.trained},
          {"workers_ended", part.workers_ended},
          {"workers_ended_well", part.workers_ended_well},
          {"bad_ends", part.bad_ends},
          {"killed_by_others", part.killed_by_others},
          {"last_event_at", OrNull(part.last_event_at)},
          {"end", part.end ? EndJson(*part.end) : Json()},
          {"ended_at", OrNull(part.ended_at)}};
}

Result<watch::PartEnd> EndFromJson(const Json& json, const std::string& path) {
  watch::PartEnd end;
  FieldReader fields(json, path);
  std::string state;
  fields.Read("state", state);
  fields.Read("reason", end.reason);
  fields.Read("at", end.at);
  if (const auto known = core::ParseRunState(state)) {
    end.state = *known;
  } else {
    fields.Fail(fields.PathOf("state"), "the state of a run");
  }
  RECKON_TRY(fields.Check());
  return end;
}

Result<Part> PartFromJson(const Json& json, const std::string& path) {
  Part part;
  FieldReader fields(json, path);
  fields.Read("node", part.node);
  fields.Read("workers", part.workers);
  fields.Read("price_per_hour", part.price_per_hour);
  std::string want;
  fields.Read("want", want);
  if (const auto known = watch::ParseWant(want)) {
    part.want = *known;
  } else {
    fields.Fail(fields.PathOf("want"), "a wish");
  }
  fields.Read("ready", part.ready);
  fields.Read("gone", part.gone);
  fields.Read("lost", part.lost);
  fields.Read("forgotten", part.forgotten);
  fields.Read("began_at", part.began_at);
  fields.Read("settled", part.settled);
  fields.Read("running", part.running);
  fields.Read("trained", part.trained);
  fields.Read("workers_ended", part.workers_ended);
  fields.Read("workers_ended_well", part.workers_ended_well);
  fields.Read("bad_ends", part.bad_ends);
  fields.Read("killed_by_others", part.killed_by_others);
  fields.Read("last_event_at", part.last_event_at);
  if (const Json* end = fields.Object("end")) {
    RECKON_ASSIGN(part.end, EndFromJson(*end, fields.PathOf("end")));
  }
  fields.Read("ended_at", part.ended_at);
  RECKON_TRY(fields.Check());
  return part;
}

Json JobJson(const JobText& job) {
  Json json{{"text", job.text},   {"source", job.source},   {"user", job.user},
            {"model", job.model}, {"project", job.project}, {"overrides", Json::array()}};
  if (!job.bundle.empty()) json["bundle"] = job.bundle;
  for (const spec::Override& one : job.overrides) {
    json["overrides"].push_back({{"path", one.path}, {"value", one.value}});
  }
  return json;
}

Result<JobText> JobFromJson(const Json& json) {
  JobText job;
  FieldReader fields(json, "job");
  fields.Require("text");
  fields.Read("text", job.text);
  fields.Read("source", job.source);
  fields.Read("user", job.user);
  fields.Read("model", job.model);
  fields.Read("project", job.project);
  fields.Read("bundle", job.bundle);
  if (const Json* overrides = fields.List("overrides")) {
    for (const Json& entry : *overrides) {
      FieldReader one(entry, "job.overrides");
      spec::Override override_;
      one.Read("path", override_.path);
      one.Read("value", override_.value);
      RECKON_TRY(one.Check());
      job.overrides.push_back(std::move(override_));
    }
  }
  RECKON_TRY(fields.Check());
  return job;
}

Result<ManagedDocument> Read(const Json& json) {
  ManagedDocument document;
  watch::ManagedRun& run = document.run;
  FieldReader fields(json, "");
  fields.Require("job");
  if (const Json* job = fields.Object("job")) {
    RECKON_ASSIGN(document.job, JobFromJson(*job));
  }
  fields.Read("attempt", run.attempt);
  fields.Read("most_attempts", run.most_attempts);
  fields.Read("spent_before", run.spent_before);
  fields.Read("budget_warned", run.budget_warned);
  fields.Read("crew", run.crew);
  fields.Read("ending", run.ending);
  fields.Read("stop_wanted", run.stop_wanted);
  fields.Read("stop_reason", run.stop_reason);
  fields.Read("failure", run.failure);
  fields.Read("hopeless", run.hopeless);
  fields.Read("bad_since", run.bad_since);
  fields.Read("ends_within_s", run.ends_within_s);
  fields.Read("first_end_at", run.first_end_at);
  fields.Read("awaits_task", run.awaits_task);
  if (const Json* update = fields.Object("update")) {
    RECKON_ASSIGN(document.update, DataUpdateFromJson(*update, "update"));
  }
  if (const Json* serving = fields.Object("serving")) {
    FieldReader of(*serving, "serving");
    document.serving.emplace();
    of.Read("name", document.serving->name);
    of.Read("version", document.serving->version);
    RECKON_TRY(of.Check());
  }
  if (const Json* parts = fields.List("parts")) {
    for (const Json& part : *parts) {
      RECKON_ASSIGN(Part one, PartFromJson(part, fmt::format("parts[{}]", run.parts.size())));
      run.parts.push_back(std::move(one));
    }
  }
  RECKON_TRY(fields.Check());
  return document;
}

}  // namespace

Json ToJson(const ManagedDocument& document) {
  const watch::ManagedRun& run = document.run;
  Json json{{"job", JobJson(document.job)},
            {"attempt", run.attempt},
            {"most_attempts", run.most_attempts},
            {"spent_before", run.spent_before},
            {"budget_warned", run.budget_warned},
            {"crew", run.crew},
            {"ending", run.ending},
            {"stop_wanted", run.stop_wanted},
            {"stop_reason", run.stop_reason},
            {"failure", run.failure},
            {"hopeless", run.hopeless},
            {"bad_since", OrNull(run.bad_since)},
            {"ends_within_s", run.ends_within_s},
            {"first_end_at", OrNull(run.first_end_at)},
            {"awaits_task", run.awaits_task},
            {"parts", Json::array()}};
  if (document.update) json["update"] = ToJson(*document.update);
  if (document.serving) {
    json["serving"] = {{"name", document.serving->name}, {"version", document.serving->version}};
  }
  for (const Part& part : run.parts) json["parts"].push_back(PartJson(part));
  return json;
}

Result<ManagedDocument> ManagedDocumentFromJson(const Json& json) {
  auto document = Read(json);
  if (document.ok()) return document;
  return base::Corrupt("the document of a managed run: " + document.error().Describe());
}

}  // namespace reckon::app
