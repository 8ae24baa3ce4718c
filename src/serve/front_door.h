// What every request passes before a route answers it: who it is from, whether that one may, and
// what is written down about it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "app/access/audit_log.h"
#include "base/clock.h"
#include "base/log.h"
#include "net/http_message.h"
#include "net/http_reply.h"
#include "serve/router.h"
#include "serve/sign_in.h"
#include "serve/work_pool.h"

namespace reckon::serve {

// For one thread: the server's.
class FrontDoor {
 public:
  // All of it outlives this.
  FrontDoor(const Router& router, SignIn& sign_in, app::AuditLog& audit, const base::Clock& clock,
            base::Logger& log)
      : router_(router), sign_in_(sign_in), audit_(audit), clock_(clock), log_(log) {}

  // Of the head of a request: an answer when it is not let in.
  std::optional<net::HttpResponse> Gate(const net::HttpRequest& head);
  // Of the whole of one that was: it is asked again who it is from, since bodies take their time.
  void Handle(const net::HttpRequest& request, net::HttpReply reply);

 private:
  std::variant<Caller, net::HttpResponse> Admit(const net::HttpRequest& head,
                                                const Router::Match& match);
  app::AuditEntry EntryOf(const net::HttpRequest& request, const Router::Match& match,
                          const Caller& caller) const;
  // An answer that takes longer comes from another thread.
  void HandleLater(const net::HttpRequest& request, const Caller& caller, net::HttpReply reply);
  void NoteRefusal(app::AuditEntry entry, int status, const std::string& why);
  bool MayList();

  const Router& router_;
  SignIn& sign_in_;
  app::AuditLog& audit_;
  const base::Clock& clock_;
  base::Logger& log_;
  // Refusals are listed up to so many a minute, so that a flood of them neither fills the log nor
  // keeps the disk busy; the others are counted.
  base::MonotonicTime minute_begins_{};
  int listed_ = 0;
  uint64_t unlisted_ = 0;
  WorkPool pool_{2, 64};  // the last: its threads use the router
};

}  // namespace reckon::serve
