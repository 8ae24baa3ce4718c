// Tokens, who one is, and the audit log.
#include <nlohmann/json.hpp>

#include "app/access/audit_log.h"
#include "app/access/tokens.h"
#include "serve/routes.h"
#include "serve/sign_in.h"

namespace reckon::serve {
namespace {

using base::Json;

Answer WhoAmI(const Call& call) {
  const Caller& caller = call.caller;
  return JsonResponse(
      {{"name", caller.name},
       {"scope", core::TokenScopeName(caller.scope)},
       {"user", caller.user},
       {"project", caller.project},
       {"expires_at", caller.expires_at ? Json(base::FormatTime(*caller.expires_at)) : Json()}});
}

Answer ListTokens(const Service& service) {
  RECKON_ASSIGN(const std::vector<core::Token> tokens, service.store.ListTokens());
  return JsonResponse(app::TokensJson(tokens));
}

Answer AddToken(const Service& service, const Call& call) {
  RECKON_ASSIGN(const Json body, call.Body());
  RECKON_ASSIGN(const app::TokenWish wish, app::TokenWishFromJson(body));
  RECKON_ASSIGN(const app::MadeToken made,
                app::MakeToken(wish, service.store, service.context.clock));
  return JsonResponse(app::ToJson(made), 201);
}

Answer RevokeToken(const Service& service, SignIn& sign_in, const Call& call) {
  RECKON_ASSIGN(const int64_t id, call.WholeInPath("id"));
  RECKON_ASSIGN(const core::Token token, service.store.RevokeToken(id));
  sign_in.Forget(id);
  return JsonResponse(app::ToJson(token));
}

Answer ReadAudit(const Service& service, const Call& call) {
  RECKON_ASSIGN(const size_t limit, LimitOf(call));
  RECKON_ASSIGN(const auto before, call.WholeInQuery("before"));
  RECKON_ASSIGN(const std::vector<Json> lines,
                app::ReadAudit(app::AuditFile(service.context.db), limit, before));
  return JsonResponse({{"audit", lines}});
}

}  // namespace

std::vector<Route> AccessRoutes(const Service& service, SignIn& sign_in) {
  return {{"GET", "/api/v1/whoami", Scope::kAnyToken, WhoAmI},
          {"GET", "/api/v1/tokens", Scope::kAdmin,
           [service](const Call&) { return ListTokens(service); }},
          {"POST", "/api/v1/tokens", Scope::kAdmin,
           [service](const Call& call) { return AddToken(service, call); }},
          {"POST", "/api/v1/tokens/{id}/revoke", Scope::kAdmin,
           [service, &sign_in](const Call& call) { return RevokeToken(service, sign_in, call); }},
          {"GET", "/api/v1/audit", Scope::kAdmin,
           [service](const Call& call) { return ReadAudit(service, call); }}};
}

}  // namespace reckon::serve
