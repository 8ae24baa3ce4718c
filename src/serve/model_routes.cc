// What was learned: models, what they forecast, how that turned out, and what follows from it.
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/calibration/calibration.h"
#include "app/predict.h"
#include "app/recommend/catalogue_source.h"
#include "app/recommend/recommend.h"
#include "app/report_json.h"
#include "app/stored_models.h"
#include "base/field_reader.h"
#include "serve/routes.h"

namespace reckon::serve {
namespace {

using base::Json;

Answer ListModels(const Service& service, const Call&) {
  RECKON_ASSIGN(const Json models, app::ListStoredModels(service.store));
  return JsonResponse(models);
}

Answer ShowModel(const Service& service, const Call& call) {
  RECKON_ASSIGN(const Json model, app::DescribeStoredModel(call.path.at("name"), service.store));
  return JsonResponse(model);
}

Answer ShowCalibration(const Service& service, const Call& call) {
  const auto found = call.path.find("name");
  const std::string model = found == call.path.end() ? "" : found->second;
  RECKON_ASSIGN(const auto all, app::CalibrationsOf(service.store, model));
  return JsonResponse(app::ToJson(all, !model.empty()));
}

Answer AskForRefit(const Service& service, const Call& call) {
  const std::string& model = call.path.at("name");
  RECKON_TRY(service.models.AskForRefit(model));
  return JsonResponse({{"model", model}, {"asked", true}}, 202);
}

// {"workers": "1..8", "batch": 64} as questions of `reckon predict --set`.
base::Result<std::vector<std::string>> QuestionsOf(const Json& values) {
  std::vector<std::string> questions;
  for (const auto& [name, value] : values.items()) {
    if (!value.is_string() && !value.is_number()) {
      return base::BadInput(
          fmt::format("set.{}: expected a number, or values like \"1..8\" as text", name));
    }
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    questions.push_back(fmt::format("{}={}", name, text));
  }
  return questions;
}

Answer MakeForecasts(const Service& service, const Call& call) {
  RECKON_ASSIGN(const Json body, call.Body());
  app::PredictRequest request;
  request.stored = true;
  base::FieldReader fields(body, "");
  fields.Require("model");
  fields.Require("set");
  fields.Read("model", request.model);
  const Json* values = fields.Object("set");
  RECKON_TRY(fields.Check());
  RECKON_ASSIGN(request.set, QuestionsOf(*values));
  RECKON_ASSIGN(const app::PredictReport report, app::Predict(request, service.context));
  return JsonResponse(app::ToJson(report));
}

Answer MakeRecommendation(const Service& service, const Call& call) {
  RECKON_ASSIGN(const Json body, call.Body());
  app::RecommendRequest request;
  request.text.emplace();
  std::optional<double> most_workers;
  base::FieldReader fields(body, "");
  fields.Require("job");
  fields.Require("campaign");
  fields.Read("job", request.text->text);
  fields.Read("campaign", request.campaign);
  fields.Read("deadline_s", request.deadline_s);
  fields.Read("budget", request.budget);
  fields.Read("confidence", request.confidence);
  fields.Read("max_workers", most_workers);
  fields.Read("price", request.price);
  fields.Read("startup_s", request.startup_s);
  fields.Read("accuracy", request.accuracy);
  fields.Read("free_batch", request.free_batch);
  fields.Read("free_strategy", request.free_strategy);
  fields.Read("spot", request.spot);
  RECKON_TRY(fields.Check());
  if (most_workers) {
    if (*most_workers < 1 || *most_workers != std::floor(*most_workers) || *most_workers > 1e6) {
      return base::BadInput("max_workers: expected a whole number from 1 to 1000000");
    }
    request.most_workers = static_cast<size_t>(*most_workers);
  }
  if (request.confidence <= 0 || request.confidence >= 1) {
    return base::BadInput("confidence: expected a number between 0 and 1");
  }
  RECKON_ASSIGN(const app::RecommendReport report, app::Recommend(request, service.context));
  return JsonResponse(app::ToJson(report));
}

Answer ListPrices(const Service&, const Call&) {
  return JsonResponse(app::ToJson(app::BuiltInCatalogue()));
}

}  // namespace

std::vector<Route> ModelRoutes(const Service& service) {
  const auto route = [&](const char* method, const char* pattern, Scope scope, auto handler) {
    return Route{method, pattern, scope,
                 [service, handler](const Call& call) { return handler(service, call); }};
  };
  const auto slow = [&](const char* method, const char* pattern, auto handler) {
    Route made = route(method, pattern, Scope::kViewer, handler);
    made.only_asks = true;
    return made;
  };
  return {route("GET", "/api/v1/models", Scope::kViewer, ListModels),
          route("GET", "/api/v1/models/{name}", Scope::kViewer, ShowModel),
          route("GET", "/api/v1/models/{name}/calibration", Scope::kViewer, ShowCalibration),
          route("POST", "/api/v1/models/{name}/refit", Scope::kOperator, AskForRefit),
          route("GET", "/api/v1/calibration", Scope::kViewer, ShowCalibration),
          slow("POST", "/api/v1/forecasts", MakeForecasts),
          slow("POST", "/api/v1/recommendations", MakeRecommendation),
          route("GET", "/api/v1/prices", Scope::kViewer, ListPrices)};
}

}  // namespace reckon::serve
