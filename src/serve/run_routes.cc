// Runs: asking for them, looking at them, stopping them.
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/manage/spend_json.h"
#include "app/runs/report_json.h"
#include "app/runs/runs.h"
#include "base/field_reader.h"
#include "serve/job_body.h"
#include "serve/routes.h"

namespace reckon::serve {
namespace {

using base::Json;

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
  RECKON_TRY(ReadJobFields(fields, call.caller, job));
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

Answer GiveModel(const Service& service, const Call& call) {
  RECKON_ASSIGN(const int64_t id, call.WholeInPath("id"));
  RECKON_ASSIGN(std::string model, service.manager.ReadModel(id));
  return net::HttpResponse{200, "application/octet-stream", std::move(model)};
}

Answer GiveResults(const Service& service, const Call& call) {
  RECKON_ASSIGN(const int64_t id, call.WholeInPath("id"));
  RECKON_ASSIGN(std::string results, service.manager.ReadResults(id));
  return net::HttpResponse{200, "application/octet-stream", std::move(results)};
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

base::Result<std::optional<base::WallTime>> SinceOf(const Service& service, const Call& call) {
  RECKON_ASSIGN(const auto days, call.WholeInQuery("days"));
  if (!days) return std::optional<base::WallTime>();
  constexpr int64_t kMostDays = 36500;
  if (*days > kMostDays) return base::BadInput("days: expected at most 36500");
  return std::optional(service.context.clock.Now() - std::chrono::days(*days));
}

Answer ShowSpend(const Service& service, const Call& call) {
  RECKON_ASSIGN(const auto since, SinceOf(service, call));
  RECKON_ASSIGN(const std::vector<core::Spend> all, service.manager.SpendSince(since));
  return JsonResponse(app::ToJson(all));
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
  const auto eta = json.find("eta");
  if (eta != json.end() && managed->per_second > 0) {
    const auto at = [&](const char* key) {
      return managed->spent + managed->per_second * eta->value(key, 0.0);
    };
    json["managed"]["cost_at_end"] = {
        {"expected", at("remaining_s")}, {"lower", at("lower_s")}, {"upper", at("upper_s")}};
  }
  return RunNews{base::DumpJsonLine(json), core::IsFinal(managed->run.state)};
}

std::vector<Route> RunRoutes(const Service& service) {
  const auto route = [&](const char* method, const char* pattern, Scope scope, auto handler) {
    return Route{method, pattern, scope,
                 [service, handler](const Call& call) { return handler(service, call); }};
  };
  return {route("POST", "/api/v1/runs", Scope::kOperator, AddRun),
          route("GET", "/api/v1/runs", Scope::kViewer, ListRuns),
          route("GET", "/api/v1/runs/{id}", Scope::kViewer, ShowRun),
          route("GET", "/api/v1/runs/{id}/model", Scope::kViewer, GiveModel),
          route("GET", "/api/v1/runs/{id}/results", Scope::kViewer, GiveResults),
          route("POST", "/api/v1/runs/{id}/stop", Scope::kOperator, StopRun),
          route("GET", "/api/v1/runs/{id}/events", Scope::kViewer, ListEvents),
          route("GET", "/api/v1/spend", Scope::kViewer, ShowSpend)};
}

}  // namespace reckon::serve
