#include "serve/service.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "app/access/audit_log.h"
#include "app/access/tokens.h"
#include "app/data.h"
#include "app/manage/agent_run.h"
#include "app/manage/webhooks.h"
#include "app/runs/run_files.h"
#include "base/interrupt.h"
#include "net/http_server.h"
#include "net/tcp.h"
#include "serve/front_door.h"
#include "serve/loopback.h"
#include "serve/router.h"
#include "serve/routes.h"
#include "serve/sign_in.h"

namespace reckon::serve {
namespace {

void AwaitStop(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait(lock, stop, [] { return false; });
}

// Likewise; certificates are read again whenever somebody asks for it.
void AwaitStopAndHangUps(const std::stop_token& stop, base::HangUpWatch& hang_ups,
                         net::HttpServer& server, base::Logger& log) {
  constexpr std::chrono::milliseconds kLook{200};
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  while (!stop.stop_requested()) {
    never.wait_for(lock, stop, kLook, [] { return false; });
    if (!hang_ups.Take()) continue;
    const base::Status read = server.ReloadTls();
    if (read.ok()) {
      log.Info("the certificate was read again");
    } else {
      log.Error("the certificate stays as it is: " + read.error().Describe());
    }
  }
}

base::Result<std::optional<net::TlsFiles>> TlsOf(const ServeRequest& request) {
  if (request.tls_cert.empty() && request.tls_key.empty()) return std::optional<net::TlsFiles>();
  if (request.tls_cert.empty() || request.tls_key.empty()) {
    return base::BadInput("--tls-cert and --tls-key belong together");
  }
  return std::optional(net::TlsFiles{request.tls_cert, request.tls_key});
}

// Whether nobody is asked for a token.
base::Result<bool> IsOpen(const ServeRequest& request, const net::Address& listen,
                          store::Store& store, const base::Clock& clock) {
  if (!request.token_file.empty()) return false;
  RECKON_ASSIGN(const std::vector<core::Token> tokens, store.ListTokens());
  if (app::AnyUsable(tokens, clock.Now())) return false;
  if (IsLoopback(listen.host)) return true;
  return base::BadInput(
      fmt::format("{} can be reached by others: a token is needed (--token-file, "
                  "or one in the store by 'reckon token create')",
                  listen.ToText()));
}

}  // namespace

std::vector<Route> AllRoutes(const Service& service, EventFeed& feed, SignIn& sign_in) {
  std::vector<Route> routes;
  for (auto& group :
       {AgentRoutes(service), RunRoutes(service), BundleRoutes(service), UpdateRoutes(service),
        PublishedRoutes(service), ModelRoutes(service), NodeRoutes(service, sign_in),
        HealthRoutes(service), EventRoutes(feed), AccessRoutes(service, sign_in)}) {
    routes.insert(routes.end(), group.begin(), group.end());
  }
  return routes;
}

base::Status Serve(const ServeRequest& request, const app::Context& context,
                   const std::function<void(const std::string& url)>& ready) {
  auto listen = net::ParseAddress(request.listen);
  if (!listen.ok()) return std::move(listen).error().Wrap("--listen");
  net::HttpServerOptions http;
  RECKON_ASSIGN(http.tls, TlsOf(request));
  SignInOptions access;
  RECKON_ASSIGN(access.admin_token, app::ReadTokenFile(request.token_file));
  RECKON_ASSIGN(const auto store, app::OpenStore(context, true));
  RECKON_ASSIGN(access.open, IsOpen(request, *listen, *store, context.clock));
  constexpr size_t kShortToken = 32;
  if (!access.admin_token.empty() && access.admin_token.size() < kShortToken) {
    context.log.Warn("the token of --token-file is short enough to be guessed");
  }
  if (!http.tls && !IsLoopback(listen->host)) {
    context.log.Warn("without TLS, tokens can be read on their way here (--tls-cert, --tls-key)");
  }
  app::ManagerOptions manager_options = request.manager;
  manager_options.db = context.db;
  RECKON_ASSIGN(const auto manager,
                app::Manager::Open(manager_options, *store, context.clock, context.log));
  app::WebhookOptions hooks;
  hooks.urls = request.webhooks;
  hooks.folder = app::RunFolderPath(context.db, 0).parent_path() / "manager";
  RECKON_ASSIGN(const auto webhooks, app::Webhooks::Start(hooks, *store, context.log));
  app::ManagedViews views(context.db);
  app::ModelKeeper models({.refit = !request.keep_models}, *store, context);
  app::PublishedModels published(*manager, *store, views, context);
  const Service service{*manager, *store, context, views, models, published};
  EventFeed feed({}, *store, context.log,
                 [&service](int64_t run_id) { return LookAtRun(service, run_id); });
  SignIn sign_in(access, *store, context.clock, context.log);
  const Router router(AllRoutes(service, feed, sign_in));
  app::AuditLog audit(app::AuditFile(context.db), context.clock);
  FrontDoor door(router, sign_in, audit, context.clock, context.log);
  http.listen = *listen;
  http.most_connections = 4096;
  RECKON_ASSIGN(const auto server,
                net::HttpServer::Start(
                    http,
                    [&](const net::HttpRequest& call, net::HttpReply reply) {
                      door.Handle(call, std::move(reply));
                    },
                    [&](const net::HttpRequest& head) { return door.Gate(head); }));
  std::optional<base::HangUpWatch> hang_ups;
  if (http.tls) hang_ups.emplace();
  ready((http.tls ? "https://" : "http://") + net::Address{listen->host, server->port()}.ToText());
  if (hang_ups) {
    AwaitStopAndHangUps(context.stop, *hang_ups, *server, context.log);
  } else {
    AwaitStop(context.stop);
  }
  return {};
}

}  // namespace reckon::serve
