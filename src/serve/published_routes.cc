// Published models: their versions, what images show, and what they were asked lately.
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/publish/published_models.h"
#include "base/field_reader.h"
#include "serve/routes.h"

namespace reckon::serve {
namespace {

using base::Json;

base::Result<std::string> PublishedNameOf(const Call& call) {
  const std::string& name = call.path.at("name");
  if (base::IsPlainName(name)) return name;
  return base::BadInput(fmt::format(
      "'{}' is no name of a published model; expected letters, digits and '._+-'", name));
}

Answer ListPublished(const Service& service, const Call&) {
  RECKON_ASSIGN(const Json all, service.published.List());
  return JsonResponse(all);
}

Answer ShowPublished(const Service& service, const Call& call) {
  RECKON_ASSIGN(const std::string name, PublishedNameOf(call));
  RECKON_ASSIGN(const Json shown, service.published.List(name));
  return JsonResponse(shown);
}

Answer Publish(const Service& service, const Call& call) {
  RECKON_ASSIGN(const std::string name, PublishedNameOf(call));
  RECKON_ASSIGN(const Json body, call.Body());
  base::FieldReader fields(body, "");
  int64_t run = 0;
  bool force = false;
  fields.Require("run");
  fields.Read("run", run);
  fields.Read("force", force);
  RECKON_TRY(fields.Check());
  RECKON_ASSIGN(const Json shown, service.published.Publish(name, run, force));
  return JsonResponse(shown, 201);
}

Answer Promote(const Service& service, const Call& call) {
  RECKON_ASSIGN(const std::string name, PublishedNameOf(call));
  RECKON_TRY(service.published.List(name));
  RECKON_ASSIGN(const Json body, call.Body());
  base::FieldReader fields(body, "");
  int64_t version = 0;
  fields.Require("version");
  fields.Read("version", version);
  RECKON_TRY(fields.Check());
  RECKON_ASSIGN(const Json shown, service.published.Promote(name, version));
  return JsonResponse(shown, 202);
}

Answer RollBack(const Service& service, const Call& call) {
  RECKON_ASSIGN(const std::string name, PublishedNameOf(call));
  RECKON_ASSIGN(const Json shown, service.published.RollBack(name));
  return JsonResponse(shown, 202);
}

Answer PredictImages(const Service& service, const Call& call) {
  RECKON_ASSIGN(const std::string name, PublishedNameOf(call));
  const auto type = call.request.headers.find("content-type");
  const bool bytes =
      type != call.request.headers.end() && type->second.starts_with("application/octet-stream");
  RECKON_ASSIGN(const Json answer, service.published.Predict(name, call.request.body, !bytes));
  return JsonResponse(answer);
}

Answer Label(const Service& service, const Call& call) {
  RECKON_ASSIGN(const std::string name, PublishedNameOf(call));
  RECKON_ASSIGN(const Json body, call.Body());
  base::FieldReader fields(body, "");
  fields.Require("labels");
  std::vector<std::pair<int64_t, int64_t>> labels;
  if (const Json* list = fields.List("labels")) {
    for (const Json& entry : *list) {
      base::FieldReader one(entry, fmt::format("labels[{}]", labels.size()));
      std::pair<int64_t, int64_t> label;
      one.Require("id");
      one.Require("label");
      one.Read("id", label.first);
      one.Read("label", label.second);
      RECKON_TRY(one.Check());
      labels.push_back(label);
    }
  }
  RECKON_TRY(fields.Check());
  RECKON_TRY(service.published.Label(name, labels));
  return JsonResponse({{"labelled", labels.size()}});
}

Answer ListLabelled(const Service& service, const Call& call) {
  RECKON_ASSIGN(const std::string name, PublishedNameOf(call));
  RECKON_ASSIGN(const size_t limit, LimitOf(call));
  RECKON_ASSIGN(const auto after, call.WholeInQuery("after"));
  RECKON_ASSIGN(const Json images, service.published.Labelled(name, after.value_or(0), limit));
  return JsonResponse(images);
}

}  // namespace

std::vector<Route> PublishedRoutes(const Service& service) {
  const auto route = [&](const char* method, const char* pattern, Scope scope, auto handler) {
    return Route{method, pattern, scope,
                 [service, handler](const Call& call) { return handler(service, call); }};
  };
  Route predict =
      route("POST", "/api/v1/published/{name}/predict", Scope::kOperator, PredictImages);
  predict.only_asks = true;  // it waits for the worker
  Route label = route("POST", "/api/v1/published/{name}/labels", Scope::kOperator, Label);
  label.routine = true;
  return {predict,
          label,
          route("GET", "/api/v1/published", Scope::kViewer, ListPublished),
          route("GET", "/api/v1/published/{name}", Scope::kViewer, ShowPublished),
          route("POST", "/api/v1/published/{name}/versions", Scope::kOperator, Publish),
          route("POST", "/api/v1/published/{name}/promote", Scope::kOperator, Promote),
          route("POST", "/api/v1/published/{name}/rollback", Scope::kOperator, RollBack),
          route("GET", "/api/v1/published/{name}/labelled", Scope::kViewer, ListLabelled)};
}

}  // namespace reckon::serve
