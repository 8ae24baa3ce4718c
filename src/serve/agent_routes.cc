// What agents tell their manager.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "serve/routes.h"

namespace reckon::serve {
namespace {

base::Result<act::PartKey> ParsePart(const std::string& text) {
  if (const auto key = act::PartKey::Parse(text)) return *key;
  return base::BadInput(fmt::format("'{}' is no part; expected RUN.ATTEMPT", text));
}

Answer TakeBeat(const Service& service, const Call& call) {
  RECKON_ASSIGN(const base::Json body, call.Body());
  RECKON_ASSIGN(const act::Beat beat, act::BeatFromJson(body));
  if (beat.node.name != call.path.at("node")) {
    return base::BadInput(fmt::format("node.name is '{}', but the beat came for '{}'",
                                      beat.node.name, call.path.at("node")));
  }
  RECKON_ASSIGN(const act::BeatAnswer answer, service.manager.TakeBeat(beat));
  return JsonResponse(act::ToJson(answer));
}

Answer TakeFile(const Service& service, const Call& call) {
  RECKON_ASSIGN(const act::PartKey key, ParsePart(call.path.at("part")));
  RECKON_ASSIGN(const auto from, call.WholeInQuery("from"));
  RECKON_ASSIGN(
      const uint64_t have,
      service.manager.TakeFile(call.path.at("node"), key, call.path.at("file"),
                               static_cast<uint64_t>(from.value_or(0)), call.request.body));
  return JsonResponse({{"have", have}});
}

}  // namespace

std::vector<Route> AgentRoutes(const Service& service) {
  return {{"POST", "/api/v1/agents/{node}/beat", Scope::kAgent,
           [service](const Call& call) { return TakeBeat(service, call); }},
          {"POST", "/api/v1/agents/{node}/parts/{part}/files/{file}", Scope::kAgent,
           [service](const Call& call) { return TakeFile(service, call); }}};
}

}  // namespace reckon::serve
