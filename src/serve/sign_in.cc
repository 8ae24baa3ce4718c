#include "serve/sign_in.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "app/access/tokens.h"
#include "base/text.h"

namespace reckon::serve {
namespace {

using std::chrono::seconds;

constexpr seconds kBelieved{1};
// "Last used" is coarse: writing it down with each call would cost more than most calls.
constexpr seconds kUseNoted{3'600};
constexpr size_t kLongestToken = 1024;

// What follows "Bearer"; nullopt: nothing of that kind is shown.
std::optional<std::string> TokenOf(const net::HttpRequest& head) {
  constexpr std::string_view kScheme = "bearer ";
  const auto shown = head.headers.find("authorization");
  if (shown == head.headers.end() || shown->second.size() <= kScheme.size()) return std::nullopt;
  if (base::ToLower(std::string_view(shown->second).substr(0, kScheme.size())) != kScheme) {
    return std::nullopt;
  }
  return shown->second.substr(kScheme.size());
}

Caller CallerOf(const core::Token& token) {
  Caller caller{token.name, token.id, token.scope, token.user, token.project, token.expires_at, ""};
  if (token.scope == core::TokenScope::kAgent) caller.hash = token.hash;
  return caller;
}

Caller Admin(const char* name) {
  return {name, std::nullopt, core::TokenScope::kAdmin, "", "", std::nullopt, ""};
}

}  // namespace

SignIn::SignIn(const SignInOptions& options, store::Store& store, const base::Clock& clock,
               base::Logger& log)
    : options_(options),
      admin_hash_(options.admin_token.empty() ? "" : app::HashOfSecret(options.admin_token)),
      store_(store),
      clock_(clock),
      log_(log),
      limit_(options.limits) {}

Stranger SignIn::Refuse(const net::HttpRequest& head, std::string why, Caller caller) {
  limit_.Fail(head.peer, clock_.Monotonic());
  return {401, std::move(why), std::nullopt, std::move(caller)};
}

std::variant<Caller, Stranger> SignIn::Identify(const net::HttpRequest& head) {
  if (options_.open) return Admin("");
  const auto token = TokenOf(head);
  const bool too_long = token && token->size() > kLongestToken;
  const std::string hash = token && !too_long ? app::HashOfSecret(*token) : "";
  if (!known_.contains(hash)) {
    if (const auto wait = limit_.Wait(head.peer, clock_.Monotonic())) {
      return Stranger{429,
                      fmt::format("too many failures to sign in from this address; "
                                  "wait {} s",
                                  wait->count()),
                      wait,
                      {}};
    }
  }
  if (!token) return Refuse(head, "a token is needed");
  if (too_long) return Refuse(head, "the token is wrong");
  // Both are hashes: how far they agree tells nothing about the token.
  if (base::SameSecret(hash, admin_hash_)) return Admin("(token file)");
  return ByHash(head, hash);
}

std::variant<Caller, Stranger> SignIn::ByHash(const net::HttpRequest& head,
                                              const std::string& hash) {
  const base::MonotonicTime now = clock_.Monotonic();
  auto known = known_.find(hash);
  if (known == known_.end() || now - known->second.asked_at >= kBelieved) {
    auto found = store_.FindToken(hash);
    if (!found.ok()) return Stranger{503, found.error().Describe(), std::nullopt, {}};
    if (!*found || !base::SameSecret((*found)->hash, hash)) {
      known_.erase(hash);
      return Refuse(head, "the token is wrong");
    }
    core::Token& token = **found;
    // What could not be written down is not tried with every call.
    if (known != known_.end()) {
      token.last_used_at = std::max(token.last_used_at, known->second.token.last_used_at);
    }
    known = known_.insert_or_assign(hash, Known{std::move(token), now}).first;
  }
  core::Token& token = known->second.token;
  const std::string why = app::WhyNotValid(token, clock_.Now());
  if (!why.empty()) {
    Caller caller = CallerOf(token);
    known_.erase(known);
    return Refuse(head, "the token " + why, std::move(caller));
  }
  NoteUse(token);
  return CallerOf(token);
}

void SignIn::NoteUse(core::Token& token) {
  const base::WallTime now = clock_.Now();
  if (token.last_used_at && now - *token.last_used_at < kUseNoted) return;
  const base::Status noted = store_.TouchToken(token.id);
  if (!noted.ok()) log_.Warn("when a token was used last: " + noted.error().Describe());
  token.last_used_at = now;
}

void SignIn::Forget(int64_t token_id) {
  std::erase_if(known_, [token_id](const auto& one) { return one.second.token.id == token_id; });
}

void SignIn::ForgetNode(const std::string& node) {
  std::erase_if(known_, [&node](const auto& one) {
    const core::Token& token = one.second.token;
    return token.scope == core::TokenScope::kNode && token.name == node;
  });
}

}  // namespace reckon::serve
