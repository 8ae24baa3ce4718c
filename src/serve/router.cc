#include "serve/router.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "base/json_shape.h"
#include "base/text.h"

namespace reckon::serve {
namespace {

using base::Error;
using base::ErrorCode;
using base::Json;

std::string_view PathOf(std::string_view target) { return target.substr(0, target.find('?')); }

int DigitOf(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// nullopt: the path is another.
std::optional<std::map<std::string, std::string>> MatchPath(const std::string& pattern,
                                                            std::string_view path) {
  const auto wanted = base::Split(pattern, '/');
  const auto given = base::Split(path, '/');
  if (wanted.size() != given.size()) return std::nullopt;
  std::map<std::string, std::string> found;
  for (size_t i = 0; i < wanted.size(); ++i) {
    const std::string_view part = wanted[i];
    if (part.starts_with('{')) {
      const auto decoded = DecodeUrl(given[i], false);
      if (!decoded || decoded->empty()) return std::nullopt;
      found[std::string(part.substr(1, part.size() - 2))] = *decoded;
    } else if (part != given[i]) {
      return std::nullopt;
    }
  }
  return found;
}

base::Result<std::map<std::string, std::string>> QueryOf(std::string_view target) {
  std::map<std::string, std::string> query;
  const size_t mark = target.find('?');
  if (mark == std::string_view::npos) return query;
  for (const std::string_view pair : base::Split(target.substr(mark + 1), '&')) {
    if (pair.empty()) continue;
    const size_t equals = pair.find('=');
    const auto name = DecodeUrl(pair.substr(0, equals), true);
    const auto value = equals == std::string_view::npos ? std::optional<std::string>("")
                                                        : DecodeUrl(pair.substr(equals + 1), true);
    if (!name || !value) return base::BadInput("the query has a broken escape");
    query[*name] = *value;
  }
  return query;
}

int StatusOf(ErrorCode code) {
  switch (code) {
    case ErrorCode::kBadInput:
      return 400;
    case ErrorCode::kNotFound:
      return 404;
    case ErrorCode::kFailed:
      return 409;
    case ErrorCode::kUnavailable:
    case ErrorCode::kInterrupted:
    case ErrorCode::kIo:
      return 503;
    case ErrorCode::kCorrupt:
      break;
  }
  return 500;
}

}  // namespace

base::Result<int64_t> WholeNumber(const std::string& name, const std::string& text) {
  int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  if (read.ec != std::errc() || read.ptr != text.data() + text.size() || number < 0) {
    return base::BadInput(
        fmt::format("{}: expected a whole number from 0 on, found '{}'", name, text));
  }
  return number;
}

std::optional<std::string> DecodeUrl(std::string_view text, bool plus_is_space) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (c == '+' && plus_is_space) c = ' ';
    if (c == '%') {
      const int high = i + 1 < text.size() ? DigitOf(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? DigitOf(text[i + 2]) : -1;
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(16 * high + low);
      i += 2;
    }
    if (c == '\0') return std::nullopt;
    decoded += c;
  }
  return decoded;
}

base::Result<Json> Call::Body() const {
  constexpr size_t kMostDepth = 32;
  if (base::ShapeOfJson(request.body, kMostDepth).depth > kMostDepth) {
    return base::BadInput("the body is nested too deeply");
  }
  auto json = base::ParseJson(request.body, "the body");
  if (!json.ok()) return base::BadInput(json.error().Describe());
  return json;
}

base::Result<int64_t> Call::WholeInPath(const std::string& name) const {
  return WholeNumber(name, path.at(name));
}

base::Result<std::optional<int64_t>> Call::WholeInQuery(const std::string& name) const {
  const auto found = query.find(name);
  if (found == query.end()) return std::optional<int64_t>();
  RECKON_ASSIGN(const int64_t number, WholeNumber(name, found->second));
  return std::optional(number);
}

base::Result<size_t> LimitOf(const Call& call) {
  constexpr int64_t kMostRows = 1000;
  constexpr int64_t kUsualRows = 100;
  RECKON_ASSIGN(const auto limit, call.WholeInQuery("limit"));
  return static_cast<size_t>(std::clamp<int64_t>(limit.value_or(kUsualRows), 1, kMostRows));
}

net::HttpResponse JsonResponse(const Json& json, int status) {
  return {status, "application/json", base::DumpJsonLine(json) + "\n"};
}

net::HttpResponse ErrorResponse(int status, const std::string& message) {
  return JsonResponse({{"error", message}}, status);
}

net::HttpResponse ErrorResponse(const Error& error) {
  return JsonResponse({{"error", error.Describe()}, {"code", base::ErrorCodeName(error.code())}},
                      StatusOf(error.code()));
}

Router::Match Router::Find(const net::HttpRequest& request) const {
  Match match;
  const std::string_view path = PathOf(request.target);
  for (const Route& route : routes_) {
    auto found = MatchPath(route.pattern, path);
    if (!found) continue;
    if (route.method != request.method) {
      match.other_method = true;
      continue;
    }
    match.route = &route;
    match.path = *std::move(found);
    return match;
  }
  return match;
}

net::HttpResponse Router::Dispatch(
    const net::HttpRequest& request, const Caller& caller,
    const std::function<Answer(const Route&, const Call&)>& with) const {
  Match match = Find(request);
  if (match.route == nullptr) {
    const std::string path(PathOf(request.target));
    if (match.other_method) {
      return ErrorResponse(405, fmt::format("{} is not answered at {}", request.method, path));
    }
    return ErrorResponse(404, fmt::format("there is nothing at {}", path));
  }
  auto query = QueryOf(request.target);
  if (!query.ok()) return ErrorResponse(query.error());
  const Answer answer =
      with(*match.route, Call{request, caller, std::move(match.path), *std::move(query)});
  return answer.ok() ? *answer : ErrorResponse(answer.error());
}

net::HttpResponse Router::Handle(const net::HttpRequest& request, const Caller& caller) const {
  return Dispatch(request, caller, [](const Route& route, const Call& call) -> Answer {
    RECKON_CHECK(route.handler);
    return route.handler(call);
  });
}

std::optional<net::HttpResponse> Router::Handle(const net::HttpRequest& request,
                                                const Caller& caller, net::HttpReply& reply) const {
  bool streams = false;
  net::HttpResponse response =
      Dispatch(request, caller, [&](const Route& route, const Call& call) -> Answer {
        if (!route.stream) return route.handler(call);
        RECKON_TRY(route.stream(call, reply));
        streams = true;
        return net::HttpResponse{};
      });
  if (streams) return std::nullopt;
  return response;
}

}  // namespace reckon::serve
