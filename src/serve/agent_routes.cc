// What agents tell their manager.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/field_reader.h"
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

// A piece of a file that is known by its print.
struct Piece {
  act::PartKey key;
  act::FilePrint whole;
  uint64_t from = 0;
};

base::Result<Piece> PieceOf(const Call& call) {
  Piece piece;
  RECKON_ASSIGN(piece.key, ParsePart(call.path.at("part")));
  RECKON_ASSIGN(const auto from, call.WholeInQuery("from"));
  RECKON_ASSIGN(const auto bytes, call.WholeInQuery("bytes"));
  const auto print = call.query.find("print");
  if (print == call.query.end() || !bytes) {
    return base::BadInput("print and bytes are missing: which file, and how large");
  }
  piece.whole = {print->second, static_cast<uint64_t>(*bytes)};
  piece.from = static_cast<uint64_t>(from.value_or(0));
  return piece;
}

Answer TakeCheckpoint(const Service& service, const Call& call) {
  RECKON_ASSIGN(const Piece piece, PieceOf(call));
  RECKON_ASSIGN(const uint64_t have,
                service.manager.TakeCheckpoint(call.path.at("node"), piece.key, piece.whole,
                                               piece.from, call.request.body));
  return JsonResponse({{"have", have}});
}

Answer TakeResult(const Service& service, const Call& call) {
  RECKON_ASSIGN(const Piece piece, PieceOf(call));
  RECKON_ASSIGN(const uint64_t have,
                service.manager.TakeResult(call.path.at("node"), piece.key, piece.whole, piece.from,
                                           call.request.body));
  return JsonResponse({{"have", have}});
}

Answer GiveCheckpoint(const Service& service, const Call& call) {
  RECKON_ASSIGN(const act::PartKey key, ParsePart(call.path.at("part")));
  RECKON_ASSIGN(const auto from, call.WholeInQuery("from"));
  RECKON_ASSIGN(std::string bytes,
                service.manager.ReadCheckpoint(call.path.at("node"), key,
                                               static_cast<uint64_t>(from.value_or(0))));
  return net::HttpResponse{200, "application/octet-stream", std::move(bytes)};
}

Answer GiveBundle(const Service& service, const Call& call) {
  RECKON_ASSIGN(const act::PartKey key, ParsePart(call.path.at("part")));
  RECKON_ASSIGN(const auto from, call.WholeInQuery("from"));
  RECKON_ASSIGN(std::string bytes,
                service.manager.ReadBundle(call.path.at("node"), key,
                                           static_cast<uint64_t>(from.value_or(0))));
  return net::HttpResponse{200, "application/octet-stream", std::move(bytes)};
}

// The agent has made its secret by itself and tells only its hash: so it may ask again when the
// answer was lost.
Answer Join(const Service& service, const Call& call) {
  core::Token secret;
  secret.name = call.path.at("node");
  secret.scope = core::TokenScope::kNode;
  if (!base::IsPlainName(secret.name)) {
    return base::BadInput(
        fmt::format("'{}' is no name of a node; expected letters, digits and '._+-'", secret.name));
  }
  RECKON_ASSIGN(const base::Json body, call.Body());
  base::FieldReader fields(body, "");
  fields.Require("secret_sha256");
  fields.Read("secret_sha256", secret.hash);
  RECKON_TRY(fields.Check());
  secret.user = call.caller.user;
  secret.project = call.caller.project;
  RECKON_ASSIGN(const core::Token joined, service.store.JoinNode(call.caller.hash, secret));
  return JsonResponse({{"node", joined.name}}, 201);
}

}  // namespace

std::vector<Route> AgentRoutes(const Service& service) {
  return {{"POST", "/api/v1/agents/{node}/join", Scope::kJoin,
           [service](const Call& call) { return Join(service, call); }},
          {"POST", "/api/v1/agents/{node}/beat", Scope::kNode,
           [service](const Call& call) { return TakeBeat(service, call); }},
          {"POST", "/api/v1/agents/{node}/parts/{part}/files/{file}", Scope::kNode,
           [service](const Call& call) { return TakeFile(service, call); }},
          {"POST", "/api/v1/agents/{node}/parts/{part}/checkpoint", Scope::kNode,
           [service](const Call& call) { return TakeCheckpoint(service, call); }},
          {"POST", "/api/v1/agents/{node}/parts/{part}/result", Scope::kNode,
           [service](const Call& call) { return TakeResult(service, call); }},
          {"GET", "/api/v1/agents/{node}/parts/{part}/checkpoint", Scope::kNode,
           [service](const Call& call) { return GiveCheckpoint(service, call); }},
          {"GET", "/api/v1/agents/{node}/parts/{part}/bundle", Scope::kNode,
           [service](const Call& call) { return GiveBundle(service, call); }}};
}

}  // namespace reckon::serve
