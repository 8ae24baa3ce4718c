#include "serve/service.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/data.h"
#include "app/manage/agent_run.h"
#include "net/http_server.h"
#include "net/tcp.h"
#include "serve/router.h"
#include "serve/routes.h"

namespace reckon::serve {
namespace {

bool IsLoopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

// In a time that does not tell how much of it was right.
bool Same(std::string_view left, std::string_view right) {
  unsigned char difference = left.size() == right.size() ? 0 : 1;
  for (size_t i = 0; i < left.size(); ++i) {
    difference |=
        static_cast<unsigned char>(left[i] ^ right[i % std::max<size_t>(1, right.size())]);
  }
  return difference == 0;
}

// Without a token whoever runs programs on this machine may call; pages in a browser may not, not
// even those whose name was made to point here.
bool FromAPage(const net::HttpRequest& head, bool without_token) {
  if (head.headers.contains("origin")) return true;
  const auto host = head.headers.find("host");
  if (!without_token || host == head.headers.end()) return false;
  const std::string& name = host->second;
  const size_t colon = name.rfind(':');
  std::string bare = name.ends_with(']') ? name : name.substr(0, colon);
  if (bare.starts_with('[') && bare.ends_with(']')) bare = bare.substr(1, bare.size() - 2);
  return !IsLoopback(bare);
}

std::optional<net::HttpResponse> TurnAway(const Router& router, const std::string& token,
                                          const net::HttpRequest& head) {
  const auto scope = router.ScopeOf(head);
  // What is not there is answered without a body being read.
  if (!scope) return router.Handle(head);
  if (*scope == Scope::kPublic) return std::nullopt;
  if (FromAPage(head, token.empty())) return ErrorResponse(403, "not for pages of a browser");
  if (token.empty()) return std::nullopt;
  const auto shown = head.headers.find("authorization");
  if (shown == head.headers.end()) return ErrorResponse(401, "a token is needed");
  if (!Same(shown->second, "Bearer " + token)) return ErrorResponse(401, "the token is wrong");
  return std::nullopt;
}

void AwaitStop(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait(lock, stop, [] { return false; });
}

}  // namespace

base::Status Serve(const ServeRequest& request, const app::Context& context,
                   const std::function<void(const std::string& url)>& ready) {
  auto listen = net::ParseAddress(request.listen);
  if (!listen.ok()) return std::move(listen).error().Wrap("--listen");
  RECKON_ASSIGN(const std::string token, app::ReadTokenFile(request.token_file));
  if (token.empty() && !IsLoopback(listen->host)) {
    return base::BadInput(fmt::format(
        "{} can be reached by others: a token is needed (--token-file)", listen->ToText()));
  }
  RECKON_ASSIGN(const auto store, app::OpenStore(context, true));
  app::ManagerOptions manager_options = request.manager;
  manager_options.db = context.db;
  RECKON_ASSIGN(const auto manager,
                app::Manager::Open(manager_options, *store, context.clock, context.log));
  app::ManagedViews views(context.db);
  const Service service{*manager, *store, context, views};
  EventFeed feed({}, *store, context.log,
                 [&service](int64_t run_id) { return LookAtRun(service, run_id); });
  std::vector<Route> routes;
  for (auto& group : {AgentRoutes(service), RunRoutes(service), NodeRoutes(service),
                      HealthRoutes(service), EventRoutes(feed)}) {
    routes.insert(routes.end(), group.begin(), group.end());
  }
  const Router router(std::move(routes));
  net::HttpServerOptions http;
  http.listen = *listen;
  http.most_connections = 4096;
  RECKON_ASSIGN(const auto server,
                net::HttpServer::Start(
                    http,
                    [&](const net::HttpRequest& call, net::HttpReply reply) {
                      router.Handle(call, std::move(reply));
                    },
                    [&](const net::HttpRequest& head) { return TurnAway(router, token, head); }));
  ready("http://" + net::Address{listen->host, server->port()}.ToText());
  AwaitStop(context.stop);
  return {};
}

}  // namespace reckon::serve
