// Which handler answers which request, and what errors look like.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "net/http_message.h"
#include "net/http_reply.h"

namespace reckon::serve {

// A request as its handler sees it.
struct Call {
  const net::HttpRequest& request;
  std::map<std::string, std::string> path;   // of "{id}" in the route's pattern, decoded
  std::map<std::string, std::string> query;  // decoded

  // The body. kBadInput: it is no JSON.
  base::Result<base::Json> Body() const;
  // kBadInput: it is not a whole number from 0 on.
  base::Result<int64_t> WholeInPath(const std::string& name) const;
  base::Result<std::optional<int64_t>> WholeInQuery(const std::string& name) const;
};

// Who may call it.
enum class Scope {
  kPublic,  // anybody: health
  kAgent,
  kPerson,
};

using Answer = base::Result<net::HttpResponse>;
using CallHandler = std::function<Answer(const Call&)>;

// Answers by itself, as a stream; an error is answered for it.
using StreamHandler = std::function<base::Status(const Call&, net::HttpReply&)>;

struct Route {
  std::string method;   // "GET"
  std::string pattern;  // "/api/v1/runs/{id}/stop"
  Scope scope = Scope::kPerson;
  CallHandler handler = {};
  StreamHandler stream = {};  // instead of a handler
};

net::HttpResponse JsonResponse(const base::Json& json, int status = 200);
// {"error": "...", "code": "bad_input"} with 400, 404, 409, 503 or 500.
net::HttpResponse ErrorResponse(const base::Error& error);
net::HttpResponse ErrorResponse(int status, const std::string& message);

// Thread-safe once made.
class Router {
 public:
  explicit Router(std::vector<Route> routes) : routes_(std::move(routes)) {}

  // Which scope a request needs; nullopt: nobody answers it. Looks at the head alone.
  std::optional<Scope> ScopeOf(const net::HttpRequest& head) const;
  // 404 and 405 for what nobody answers.
  void Handle(const net::HttpRequest& request, net::HttpReply reply) const;
  // Likewise, of routes that are no streams.
  net::HttpResponse Handle(const net::HttpRequest& request) const;

 private:
  struct Match {
    const Route* route = nullptr;
    std::map<std::string, std::string> path;
    bool other_method = false;
  };
  Match Find(const net::HttpRequest& request) const;
  // What `with` makes of the call, or what is wrong with it.
  net::HttpResponse Dispatch(const net::HttpRequest& request,
                             const std::function<Answer(const Route&, const Call&)>& with) const;

  std::vector<Route> routes_;
};

// kBadInput, with the name: it is not a whole number from 0 on.
base::Result<int64_t> WholeNumber(const std::string& name, const std::string& text);

// "%2F" and, in queries, "+". nullopt: broken escapes or a zero byte.
std::optional<std::string> DecodeUrl(std::string_view text, bool plus_is_space);

}  // namespace reckon::serve
