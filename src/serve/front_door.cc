#include "serve/front_door.h"

#include <exception>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "serve/loopback.h"

namespace reckon::serve {
namespace {

using base::Json;

constexpr int kMostListed = 60;
constexpr std::chrono::minutes kMinute{1};

// Where nobody is asked for a token, whoever runs programs on this machine may call; pages in a
// browser may not, not even those whose name was made to point here.
bool FromAPage(const net::HttpRequest& head, bool open) {
  if (head.headers.contains("origin")) return true;
  const auto host = head.headers.find("host");
  if (!open || host == head.headers.end()) return false;
  const std::string& name = host->second;
  const size_t colon = name.rfind(':');
  std::string bare = name.ends_with(']') ? name : name.substr(0, colon);
  if (bare.starts_with('[') && bare.ends_with(']')) bare = bare.substr(1, bare.size() - 2);
  return !IsLoopback(bare);
}

net::HttpResponse ResponseTo(const Stranger& stranger) {
  net::HttpResponse response = ErrorResponse(stranger.status, stranger.why);
  if (stranger.status == 401) response.headers["www-authenticate"] = "Bearer realm=\"reckon\"";
  if (stranger.wait) response.headers["retry-after"] = std::to_string(stranger.wait->count());
  return response;
}

// The number of what a call has made.
std::optional<int64_t> MadeBy(const net::HttpResponse& response) {
  if (response.status != 201) return std::nullopt;
  const Json body = Json::parse(response.body, nullptr, false);
  if (!body.is_object() || !body.contains("id") || !body["id"].is_number_integer()) {
    return std::nullopt;
  }
  return body["id"].get<int64_t>();
}

}  // namespace

app::AuditEntry FrontDoor::EntryOf(const net::HttpRequest& request, const Router::Match& match,
                                   const Caller& caller) const {
  app::AuditEntry entry;
  entry.token = caller.name;
  entry.token_id = caller.token_id;
  entry.user = caller.user;
  entry.scope = core::TokenScopeName(caller.scope);
  entry.from = request.peer;
  entry.method = request.method;
  entry.route = match.route->pattern;
  entry.path = match.path;
  return entry;
}

bool FrontDoor::MayList() {
  const base::MonotonicTime now = clock_.Monotonic();
  if (listed_ == 0 || now - minute_begins_ >= kMinute) {
    minute_begins_ = now;
    listed_ = 0;
  }
  return listed_ < kMostListed;
}

void FrontDoor::NoteRefusal(app::AuditEntry entry, int status, const std::string& why) {
  // While nothing can be written, refusals are only counted.
  if (!MayList() || !audit_.CatchUp().ok()) {
    ++unlisted_;
    return;
  }
  ++listed_;
  entry.status = status;
  entry.why = why;
  entry.unlisted = std::exchange(unlisted_, 0);
  const base::Status written = audit_.Write(entry);
  if (!written.ok()) log_.Error("audit log: " + written.error().Describe());
}

std::variant<Caller, net::HttpResponse> FrontDoor::Admit(const net::HttpRequest& head,
                                                         const Router::Match& match) {
  const Route& route = *match.route;
  if (route.scope == Scope::kPublic) return Caller();
  if (FromAPage(head, sign_in_.open())) return ErrorResponse(403, "not for pages of a browser");
  auto identified = sign_in_.Identify(head);
  if (auto* stranger = std::get_if<Stranger>(&identified)) {
    app::AuditEntry entry = EntryOf(head, match, stranger->caller);
    if (!stranger->caller.token_id) entry.scope.clear();
    if (stranger->status == 429) {
      ++unlisted_;  // the failures that led to it are listed
    } else {
      NoteRefusal(std::move(entry), stranger->status, stranger->why);
    }
    return ResponseTo(*stranger);
  }
  Caller& caller = std::get<Caller>(identified);
  if (!MayCall(caller, route.scope, match.path)) {
    const std::string why = fmt::format("{} is needed here; this one is for scope '{}'",
                                        WhoMay(route.scope), core::TokenScopeName(caller.scope));
    NoteRefusal(EntryOf(head, match, caller), 403, why);
    return ErrorResponse(403, why);
  }
  if (route.Changes()) {
    const base::Status ready = audit_.CatchUp();
    if (!ready.ok()) {
      log_.Error("audit log: " + ready.error().Describe());
      return ErrorResponse(503, "nothing can be changed while the audit log cannot be written");
    }
  }
  return std::move(caller);
}

std::optional<net::HttpResponse> FrontDoor::Gate(const net::HttpRequest& head) {
  const Router::Match match = router_.Find(head);
  // What is not there is answered without a body being read.
  if (match.route == nullptr) return router_.Handle(head, Caller());
  auto admitted = Admit(head, match);
  if (auto* refusal = std::get_if<net::HttpResponse>(&admitted)) return std::move(*refusal);
  return std::nullopt;
}

void FrontDoor::Handle(const net::HttpRequest& request, net::HttpReply reply) {
  const Router::Match match = router_.Find(request);
  auto admitted = Admit(request, match);
  if (auto* refusal = std::get_if<net::HttpResponse>(&admitted)) {
    return reply.Send(std::move(*refusal));
  }
  const Caller& caller = std::get<Caller>(admitted);
  if (match.route->only_asks) return HandleLater(request, caller, std::move(reply));
  std::optional<net::HttpResponse> response = router_.Handle(request, caller, reply);
  if (!response) return;
  if (match.route->Changes()) {
    app::AuditEntry entry = EntryOf(request, match, caller);
    entry.status = response->status;
    entry.made = MadeBy(*response);
    const base::Status written = audit_.Write(entry);
    if (!written.ok()) log_.Error("audit log: " + written.error().Describe());
  }
  reply.Send(*std::move(response));
}

void FrontDoor::HandleLater(const net::HttpRequest& request, const Caller& caller,
                            net::HttpReply reply) {
  const bool taken = pool_.Add([this, request, caller, reply]() mutable {
    // As the server's own thread does: a failure of ours answers one caller, and ends nobody.
    try {
      reply.Send(router_.Handle(request, caller));
    } catch (const std::exception& failure) {
      log_.Error(fmt::format("{} {}: {}", request.method, request.target, failure.what()));
      reply.Send(ErrorResponse(500, "the service has failed at this"));
    }
  });
  if (!taken) reply.Send(ErrorResponse(503, "too many questions wait for an answer; ask again"));
}

}  // namespace reckon::serve
