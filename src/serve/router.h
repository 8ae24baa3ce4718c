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

struct Route {
  std::string method;   // "GET"
  std::string pattern;  // "/api/v1/runs/{id}/stop"
  Scope scope = Scope::kPerson;
  CallHandler handler;
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
  net::HttpResponse Handle(const net::HttpRequest& request) const;

 private:
  struct Match {
    const Route* route = nullptr;
    std::map<std::string, std::string> path;
    bool other_method = false;
  };
  Match Find(const net::HttpRequest& request) const;

  std::vector<Route> routes_;
};

// "%2F" and, in queries, "+". nullopt: broken escapes or a zero byte.
std::optional<std::string> DecodeUrl(std::string_view text, bool plus_is_space);

}  // namespace reckon::serve
