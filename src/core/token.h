// What a caller of the service shows, as the store knows it: everything but the secret itself.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace reckon::core {

enum class TokenScope {
  kAdmin,
  kOperator,
  kViewer,
  kAgent,  // joins nodes
  kNode,   // the secret of a node that has joined
};

const char* TokenScopeName(TokenScope scope);  // "admin"
std::optional<TokenScope> ParseTokenScope(std::string_view name);

struct Token {
  int64_t id = 0;
  // Of a node's secret: the node's. Unique among those of its kind that are not revoked.
  std::string name;
  TokenScope scope = TokenScope::kViewer;
  std::string hash;     // SHA-256 of the secret: 64 hexadecimal digits, lower case
  std::string user;     // who it is for; may be empty
  std::string project;  // what for; may be empty
  base::WallTime created_at;
  std::optional<base::WallTime> expires_at;  // nullopt: never
  std::optional<base::WallTime> revoked_at;
  std::optional<base::WallTime> last_used_at;  // coarse; nullopt: never
  int64_t uses = 0;                            // of a join token: nodes that have joined with it
  std::optional<int64_t> most_uses;            // nullopt: any number
};

}  // namespace reckon::core
