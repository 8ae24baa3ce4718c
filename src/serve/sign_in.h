// Who calls: by the token that a request shows.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>

#include "base/clock.h"
#include "base/log.h"
#include "net/http_message.h"
#include "serve/caller.h"
#include "serve/sign_in_limit.h"
#include "store/store.h"

namespace reckon::serve {

struct SignInOptions {
  // A token from outside that an admin has, to begin with; empty: there is none.
  std::string admin_token;
  // Nobody is asked: whoever can call is an admin.
  bool open = false;
  SignInLimits limits;
};

// Who was turned away.
struct Stranger {
  int status = 401;  // 429: has to wait; 503: nobody knows, the store cannot be read
  std::string why;
  std::optional<std::chrono::seconds> wait;  // with 429
  Caller caller;                             // as far as it is known: of a token that is over
};

// For one thread. What the store says is believed for a second: a token that another program
// revokes is good for no longer.
class SignIn {
 public:
  // Store, clock and log outlive it.
  SignIn(const SignInOptions& options, store::Store& store, const base::Clock& clock,
         base::Logger& log);

  std::variant<Caller, Stranger> Identify(const net::HttpRequest& head);
  // Whoever has it is asked about again at once.
  void Forget(int64_t token_id);
  void ForgetNode(const std::string& node);

  bool open() const { return options_.open; }

 private:
  struct Known {
    core::Token token;
    base::MonotonicTime asked_at;
  };
  Stranger Refuse(const net::HttpRequest& head, std::string why, Caller caller = {});
  std::variant<Caller, Stranger> ByHash(const net::HttpRequest& head, const std::string& hash);
  void NoteUse(core::Token& token);

  const SignInOptions options_;
  const std::string admin_hash_;
  store::Store& store_;
  const base::Clock& clock_;
  base::Logger& log_;
  SignInLimit limit_;
  // By hash: tokens that were good when they were asked about last. They are let in also from
  // addresses that have to wait: nobody guesses 256 bits. The one from outside, which people may
  // have thought up, is not.
  std::unordered_map<std::string, Known> known_;
};

}  // namespace reckon::serve
