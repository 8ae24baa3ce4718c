// Code that people send for their runs, in pieces.
#include <nlohmann/json.hpp>

#include "serve/routes.h"

namespace reckon::serve {
namespace {

net::HttpResponse Tell(const app::SentBundle& sent) {
  return JsonResponse({{"have", sent.have}, {"whole", sent.whole}});
}

Answer ShowBundle(const Service& service, const Call& call) {
  RECKON_ASSIGN(const app::SentBundle sent, service.manager.bundles().Find(call.path.at("sha256")));
  return Tell(sent);
}

Answer TakeBundle(const Service& service, const Call& call) {
  RECKON_ASSIGN(const auto from, call.WholeInQuery("from"));
  RECKON_ASSIGN(const auto bytes, call.WholeInQuery("bytes"));
  if (!bytes) return base::BadInput("bytes is missing: how large the whole is");
  RECKON_ASSIGN(
      const app::SentBundle sent,
      service.manager.bundles().Take(call.path.at("sha256"), static_cast<uint64_t>(*bytes),
                                     static_cast<uint64_t>(from.value_or(0)), call.request.body));
  return Tell(sent);
}

}  // namespace

std::vector<Route> BundleRoutes(const Service& service) {
  Route take{"POST", "/api/v1/bundles/{sha256}", Scope::kOperator,
             CallHandler([service](const Call& call) { return TakeBundle(service, call); })};
  // The last piece has all of it checked. What it changes is nothing before a run asks for it,
  // and that is written down.
  take.only_asks = true;
  return {std::move(take),
          {"GET", "/api/v1/bundles/{sha256}", Scope::kOperator,
           [service](const Call& call) { return ShowBundle(service, call); }}};
}

}  // namespace reckon::serve
