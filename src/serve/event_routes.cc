// Streams of events.
#include <nlohmann/json.hpp>

#include "serve/routes.h"

namespace reckon::serve {
namespace {

// The last event that the caller has seen: browsers say it when they come again.
base::Result<std::optional<int64_t>> SeenBy(const Call& call) {
  const auto header = call.request.headers.find("last-event-id");
  if (header == call.request.headers.end()) return call.WholeInQuery("after");
  RECKON_ASSIGN(const int64_t seen, WholeNumber("Last-Event-ID", header->second));
  return std::optional(seen);
}

}  // namespace

std::vector<Route> EventRoutes(EventFeed& feed) {
  const auto all = [&feed](const Call& call, net::HttpReply& reply) -> base::Status {
    RECKON_ASSIGN(const auto after, SeenBy(call));
    return feed.FollowAll(reply, after);
  };
  const auto of_run = [&feed](const Call& call, net::HttpReply& reply) -> base::Status {
    RECKON_ASSIGN(const int64_t id, call.WholeInPath("id"));
    RECKON_ASSIGN(const auto after, SeenBy(call));
    return feed.FollowRun(reply, id, after);
  };
  return {{"GET", "/api/v1/stream", Scope::kViewer, all},
          {"GET", "/api/v1/runs/{id}/stream", Scope::kViewer, of_run}};
}

}  // namespace reckon::serve
