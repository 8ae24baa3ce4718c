// Runs: asking for them, looking at them, stopping them.
#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/runs/report_json.h"
#include "app/runs/runs.h"
#include "base/field_reader.h"
#include "serve/routes.h"

namespace reckon::serve {
namespace {

using base::Json;

constexpr int64_t kMostRows = 1000;
constexpr int64_t kUsualRows = 100;

base::Result<size_t> LimitOf(const Call& call) {
  RECKON_ASSIGN(const auto limit, call.WholeInQuery("limit"));
  return static_cast<size_t>(std::clamp<int64_t>(limit.value_or(kUsualRows), 1, kMostRows));
}

Json RowJson(const core::Run& run) {
  return {{"id", run.id},
          {"name", run.name},
          {"state", core::RunStateName(run.state)},
          {"created_at", base::FormatTime(run.created_at)},
          {"changed_at", base::FormatTime(run.changed_at)}};
}

Json ManagedJson(const app::ManagedReport& report) {
  Json json{{"attempt", report.managed.attempt},
            {"spent", report.spent},
            {"waiting", report.waiting},
            {"parts", Json::array()}};
  for (const watch::Part& part : report.managed.parts) {
    json["parts"].push_back(
        {{"node", part.node},
         {"workers", part.workers},
         {"wanted", watch::WantName(part.want)},
         {"running", part.running && !part.end},
         {"lost", part.lost},
         {"ended", part.end ? Json(core::RunStateName(part.end->state)) : Json()}});
  }
  return json;
}

Answer AddRun(const Service& service, const Call& call) {
  RECKON_ASSIGN(const Json body, call.Body());
  app::JobText job;
  base::FieldReader fields(body, "");
  fields.Require("job");
  fields.Read("job", job.text);
  fields.Read("source", job.source);
  if (const Json* sets = fields.List("set")) {
    for (const Json& entry : *sets) {
      base::FieldReader one(entry, fmt::format("set[{}]", job.overrides.size()));
      spec::Override change;
      one.Require("path");
      one.Require("value");
      one.Read("path", change.path);
      one.Read("value", change.value);
      RECKON_TRY(one.Check());
      job.overrides.push_back(std::move(change));
    }
  }
  RECKON_TRY(fields.Check());
  RECKON_ASSIGN(const core::Run run, service.manager.Submit(job));
  return JsonResponse(RowJson(run), 201);
}

Answer ListRuns(const Service& service, const Call& call) {
  RECKON_ASSIGN(const size_t limit, LimitOf(call));
  RECKON_ASSIGN(const auto before, call.WholeInQuery("before"));
  RECKON_ASSIGN(const std::vector<core::Run> runs, service.store.ListRuns(limit, before));
  Json json{{"runs", Json::array()}};
  for (const core::Run& run : runs) json["runs"].push_back(RowJson(run));
  return JsonResponse(json);
}

Answer ShowRun(const Service& service, const Call& call) {
  RECKON_ASSIGN(const int64_t id, call.WholeInPath("id"));
  RECKON_ASSIGN(const RunNews news, LookAtRun(service, id));
  return net::HttpResponse{200, "application/json", news.report + "\n"};
}

Answer StopRun(const Service& service, const Call& call) {
  RECKON_ASSIGN(const int64_t id, call.WholeInPath("id"));
  std::string reason = "asked for";
  if (!call.request.body.empty()) {
    RECKON_ASSIGN(const Json body, call.Body());
    base::FieldReader fields(body, "");
    fields.Read("reason", reason);
    RECKON_TRY(fields.Check());
  }
  RECKON_TRY(service.manager.RequestStop(id, reason));
  return JsonResponse({{"id", id}, {"stopping", true}}, 202);
}

Answer ListEvents(const Service& service, const Call& call) {
  RECKON_ASSIGN(const int64_t id, call.WholeInPath("id"));
  RECKON_TRY(service.store.FindRun(id));
  RECKON_ASSIGN(const size_t limit, LimitOf(call));
  RECKON_ASSIGN(const auto after, call.WholeInQuery("after"));
  RECKON_ASSIGN(const std::vector<core::Event> events,
                service.store.ListEvents(id, after.value_or(0), limit));
  Json json{{"events", Json::array()}};
  for (const core::Event& event : events) {
    json["events"].push_back({{"id", event.id},
                              {"kind", event.kind},
                              {"at", base::FormatTime(event.at)},
                              {"detail", Json::parse(event.detail, nullptr, false)}});
  }
  return JsonResponse(json);
}

}  // namespace

base::Result<RunNews> LookAtRun(const Service& service, int64_t run_id) {
  const auto managed = service.manager.Report(run_id);
  if (!managed.ok()) {
    if (managed.error().code() != base::ErrorCode::kNotFound) return managed.error();
    // A run of this machine's own.
    RECKON_ASSIGN(const app::RunReport report,
                  app::FindRunReport(std::to_string(run_id), service.context));
    return RunNews{base::DumpJsonLine(app::ToJson(report)), core::IsFinal(report.run.state)};
  }
  RECKON_ASSIGN(app::RunView view, service.views.Of(service.store, managed->managed));
  Json json = app::ToJson(app::ReportOf(managed->run, std::move(view), service.context));
  json["managed"] = ManagedJson(*managed);
  return RunNews{base::DumpJsonLine(json), core::IsFinal(managed->run.state)};
}

std::vector<Route> RunRoutes(const Service& service) {
  const auto route = [&](const char* method, const char* pattern, auto handler) {
    return Route{method, pattern, Scope::kPerson,
                 [service, handler](const Call& call) { return handler(service, call); }};
  };
  return {route("POST", "/api/v1/runs", AddRun), route("GET", "/api/v1/runs", ListRuns),
          route("GET", "/api/v1/runs/{id}", ShowRun),
          route("POST", "/api/v1/runs/{id}/stop", StopRun),
          route("GET", "/api/v1/runs/{id}/events", ListEvents)};
}

}  // namespace reckon::serve
