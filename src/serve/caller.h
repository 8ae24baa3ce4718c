// Who calls, and who may call what.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/token.h"

namespace reckon::serve {

// Who may call a route.
enum class Scope {
  kPublic,    // anybody: health
  kAnyToken,  // whoever has signed in
  kViewer,    // and operators
  kOperator,  // and admins
  kAdmin,
  kJoin,  // join tokens, and admins
  kNode,  // the node that "{node}" of the path names, and admins
};

// Somebody who has signed in.
struct Caller {
  std::string name;                 // of the token, or of the node whose secret it is
  std::optional<int64_t> token_id;  // nullopt: the token of the file, or nobody was asked for one
  core::TokenScope scope = core::TokenScope::kViewer;
  std::string user;
  std::string project;
  std::optional<base::WallTime> expires_at;
  std::string hash;  // of a join token: by which it is counted
};

// `path`: what stands for the names in the route's pattern.
bool MayCall(const Caller& caller, Scope needed, const std::map<std::string, std::string>& path);
// For the message to who may not: "an operator's token".
const char* WhoMay(Scope needed);

}  // namespace reckon::serve
