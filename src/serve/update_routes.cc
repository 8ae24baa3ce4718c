// Model updates: what data stores say, and what they are told.
#include <chrono>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/field_reader.h"
#include "serve/job_body.h"
#include "serve/routes.h"

namespace reckon::serve {
namespace {

using base::Json;

Json UpdateJson(const app::UpdateReport& report) {
  return {{"id", report.run.id},
          {"name", report.run.name},
          {"state", core::RunStateName(report.run.state)},
          {"attempt", report.attempt},
          {"asks", app::UpdateAsksName(report.asks)},
          {"plan", app::ToJson(report.plan)},
          {"has_data", report.has_data},
          {"trouble", report.trouble},
          {"waiting", report.waiting},
          {"failure", report.failure}};
}

struct Question {
  app::JobText job;
  app::UpdateAsk ask;
};

base::Result<Question> QuestionOf(const Call& call) {
  RECKON_ASSIGN(const Json body, call.Body());
  base::FieldReader fields(body, "");
  Question question;
  RECKON_TRY(ReadJobFields(fields, call.caller, question.job));
  fields.Require("data");
  if (const Json* data = fields.Object("data")) {
    RECKON_ASSIGN(question.ask, app::UpdateAskFromJson(*data, "data"));
  }
  RECKON_TRY(fields.Check());
  return question;
}

Answer Solve(const Service& service, const Call& call) {
  RECKON_ASSIGN(const Question question, QuestionOf(call));
  RECKON_ASSIGN(const app::UpdatePlan plan, service.manager.Solve(question.job, question.ask));
  return JsonResponse(app::ToJson(plan));
}

Answer AskForUpdate(const Service& service, const Call& call) {
  RECKON_ASSIGN(const Question question, QuestionOf(call));
  RECKON_ASSIGN(const core::Run run, service.manager.AskForUpdate(question.job, question.ask));
  RECKON_ASSIGN(const app::UpdateReport report, service.manager.ReportUpdate(run.id));
  return JsonResponse(UpdateJson(report), 201);
}

Answer ShowUpdate(const Service& service, const Call& call) {
  RECKON_ASSIGN(const int64_t id, call.WholeInPath("id"));
  RECKON_ASSIGN(const app::UpdateReport report, service.manager.ReportUpdate(id));
  return JsonResponse(UpdateJson(report));
}

// Of an update that there is.
base::Result<int64_t> UpdateIdOf(const Service& service, const Call& call) {
  RECKON_ASSIGN(const int64_t id, call.WholeInPath("id"));
  RECKON_TRY(service.manager.ReportUpdate(id));
  return id;
}

// The body's "attempt".
base::Result<int64_t> AttemptOf(base::FieldReader& fields) {
  int64_t attempt = 0;
  fields.Require("attempt");
  fields.Read("attempt", attempt);
  return attempt;
}

Answer Accepted(const Service& service, int64_t id) {
  RECKON_ASSIGN(const app::UpdateReport report, service.manager.ReportUpdate(id));
  return JsonResponse(UpdateJson(report), 202);
}

Answer OfferData(const Service& service, const Call& call) {
  RECKON_ASSIGN(const int64_t id, UpdateIdOf(service, call));
  RECKON_ASSIGN(const Json body, call.Body());
  base::FieldReader fields(body, "");
  RECKON_ASSIGN(const int64_t attempt, AttemptOf(fields));
  app::UpdateOffer offer;
  fields.Require("offer");
  if (const Json* given = fields.Object("offer")) {
    RECKON_ASSIGN(offer, app::UpdateOfferFromJson(*given, "offer"));
  }
  RECKON_TRY(fields.Check());
  RECKON_TRY(service.manager.OfferData(id, attempt, offer));
  return Accepted(service, id);
}

Answer RegisterTask(const Service& service, const Call& call) {
  RECKON_ASSIGN(const int64_t id, UpdateIdOf(service, call));
  RECKON_ASSIGN(const Json body, call.Body());
  base::FieldReader fields(body, "");
  RECKON_ASSIGN(const int64_t attempt, AttemptOf(fields));
  std::vector<spec::Override> changes;
  RECKON_TRY(ReadChanges(fields, changes));
  RECKON_TRY(fields.Check());
  RECKON_TRY(service.manager.RegisterTask(id, attempt, changes));
  return Accepted(service, id);
}

Answer AskAgain(const Service& service, const Call& call) {
  RECKON_ASSIGN(const int64_t id, UpdateIdOf(service, call));
  RECKON_ASSIGN(const Json body, call.Body());
  base::FieldReader fields(body, "");
  RECKON_ASSIGN(const int64_t attempt, AttemptOf(fields));
  RECKON_TRY(fields.Check());
  RECKON_TRY(service.manager.AskAgain(id, attempt));
  return Accepted(service, id);
}

Answer HearDataStore(const Service& service, const Call& call) {
  const std::string& name = call.path.at("store");
  if (!base::IsPlainName(name)) {
    return base::BadInput(
        fmt::format("'{}' is no name of a data store; expected letters, digits and '._+-'", name));
  }
  RECKON_ASSIGN(const Json body, call.Body());
  base::FieldReader fields(body, "");
  int64_t images = 0;
  int64_t new_images = 0;
  fields.Require("images");
  fields.Read("images", images);
  fields.Read("new_images", new_images);
  RECKON_TRY(fields.Check());
  RECKON_ASSIGN(const app::DataStoreAnswer answer,
                service.manager.HearDataStore(name, images, new_images));
  return JsonResponse(
      {{"wanted", answer.wanted}, {"update", answer.update ? UpdateJson(*answer.update) : Json()}});
}

Answer WantUpdate(const Service& service, const Call& call) {
  std::string reason = "asked for";
  if (!call.request.body.empty()) {
    RECKON_ASSIGN(const Json body, call.Body());
    base::FieldReader fields(body, "");
    fields.Read("reason", reason);
    RECKON_TRY(fields.Check());
  }
  if (reason.empty()) return base::BadInput("reason: expected some words");
  const std::string& name = call.path.at("store");
  RECKON_TRY(service.manager.WantUpdate(name, reason));
  return JsonResponse({{"data_store", name}, {"wanted", reason}}, 202);
}

Answer ListDataStores(const Service& service, const Call&) {
  Json json{{"data_stores", Json::array()}};
  for (const app::KnownDataStore& store : service.manager.DataStores()) {
    Json one = app::ToJson(store);
    one["heard_at"] =
        base::FormatTime(base::WallTime(std::chrono::duration_cast<base::WallTime::duration>(
            std::chrono::duration<double>(store.heard_at))));
    json["data_stores"].push_back(std::move(one));
  }
  return JsonResponse(json);
}

}  // namespace

std::vector<Route> UpdateRoutes(const Service& service) {
  const auto route = [&](const char* method, const char* pattern, Scope scope, auto handler) {
    return Route{method, pattern, scope,
                 [service, handler](const Call& call) { return handler(service, call); }};
  };
  Route beat = route("POST", "/api/v1/data-stores/{store}/beat", Scope::kOperator, HearDataStore);
  beat.routine = true;
  Route solve = route("POST", "/api/v1/solver", Scope::kViewer, Solve);
  solve.only_asks = true;
  return {beat,
          solve,
          route("POST", "/api/v1/updates", Scope::kOperator, AskForUpdate),
          route("GET", "/api/v1/updates/{id}", Scope::kViewer, ShowUpdate),
          route("POST", "/api/v1/updates/{id}/offer", Scope::kOperator, OfferData),
          route("POST", "/api/v1/updates/{id}/task", Scope::kOperator, RegisterTask),
          route("POST", "/api/v1/updates/{id}/again", Scope::kOperator, AskAgain),
          route("GET", "/api/v1/data-stores", Scope::kViewer, ListDataStores),
          route("POST", "/api/v1/data-stores/{store}/update", Scope::kOperator, WantUpdate)};
}

}  // namespace reckon::serve
