// Which handler answers which request, and what errors look like.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "net/http_message.h"
#include "net/http_reply.h"
#include "serve/caller.h"

namespace reckon::serve {

// A request as its handler sees it.
struct Call {
  const net::HttpRequest& request;
  const Caller& caller;
  std::map<std::string, std::string> path;   // of "{id}" in the route's pattern, decoded
  std::map<std::string, std::string> query;  // decoded

  // The body. kBadInput: it is no JSON.
  base::Result<base::Json> Body() const;
  // kBadInput: it is not a whole number from 0 on.
  base::Result<int64_t> WholeInPath(const std::string& name) const;
  base::Result<std::optional<int64_t>> WholeInQuery(const std::string& name) const;
};

using Answer = base::Result<net::HttpResponse>;
using CallHandler = std::function<Answer(const Call&)>;

// Answers by itself, as a stream; an error is answered for it.
using StreamHandler = std::function<base::Status(const Call&, net::HttpReply&)>;

// There is none without a scope: what nobody has thought about is open to nobody.
struct Route {
  Route(std::string the_method, std::string the_pattern, Scope the_scope, CallHandler the_handler)
      : method(std::move(the_method)),
        pattern(std::move(the_pattern)),
        scope(the_scope),
        handler(std::move(the_handler)) {}
  Route(std::string the_method, std::string the_pattern, Scope the_scope, StreamHandler the_stream)
      : method(std::move(the_method)),
        pattern(std::move(the_pattern)),
        scope(the_scope),
        stream(std::move(the_stream)) {}

  std::string method;   // "GET"
  std::string pattern;  // "/api/v1/runs/{id}/stop"
  Scope scope;
  CallHandler handler;
  StreamHandler stream;  // instead of a handler
  // A question that comes as POST because it is long; its handler may take seconds, and is called
  // from other threads than the server's.
  bool only_asks = false;
  // Said every second by who is there: not worth writing down.
  bool routine = false;

  // Something is different afterwards, and people want to know who has done it. What agents tell of
  // their own nodes is not that.
  bool Changes() const {
    return method != "GET" && scope != Scope::kNode && !only_asks && !routine;
  }
};

net::HttpResponse JsonResponse(const base::Json& json, int status = 200);
// {"error": "...", "code": "bad_input"} with 400, 404, 409, 503 or 500.
net::HttpResponse ErrorResponse(const base::Error& error);
net::HttpResponse ErrorResponse(int status, const std::string& message);

// Thread-safe once made.
class Router {
 public:
  explicit Router(std::vector<Route> routes) : routes_(std::move(routes)) {}

  struct Match {
    const Route* route = nullptr;             // nullptr: nobody answers
    std::map<std::string, std::string> path;  // of "{id}" in its pattern, decoded
    bool other_method = false;                // somebody answers another method there
  };
  // Who answers a request; looks at the head alone.
  Match Find(const net::HttpRequest& head) const;
  // 404 and 405 for what nobody answers. Whether the caller may call it was asked before.
  net::HttpResponse Handle(const net::HttpRequest& request, const Caller& caller) const;
  // Likewise; nullopt: a stream has begun on `reply`.
  std::optional<net::HttpResponse> Handle(const net::HttpRequest& request, const Caller& caller,
                                          net::HttpReply& reply) const;

  const std::vector<Route>& routes() const { return routes_; }

 private:
  // What `with` makes of the call, or what is wrong with it.
  net::HttpResponse Dispatch(const net::HttpRequest& request, const Caller& caller,
                             const std::function<Answer(const Route&, const Call&)>& with) const;

  std::vector<Route> routes_;
};

// How many rows of a list are asked for: ?limit=, at most 1000.
base::Result<size_t> LimitOf(const Call& call);

// kBadInput, with the name: it is not a whole number from 0 on.
base::Result<int64_t> WholeNumber(const std::string& name, const std::string& text);

// "%2F" and, in queries, "+". nullopt: broken escapes or a zero byte.
std::optional<std::string> DecodeUrl(std::string_view text, bool plus_is_space);

}  // namespace reckon::serve
