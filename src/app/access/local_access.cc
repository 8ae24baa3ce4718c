#include "app/access/local_access.h"

#include <array>
#include <utility>

#include <nlohmann/json.hpp>
#include <pwd.h>
#include <unistd.h>

#include "app/access/audit_log.h"
#include "app/data.h"

namespace reckon::app {
namespace {

using base::Json;
using base::Result;

std::string UserHere() {
  std::array<char, 4096> buffer{};
  passwd entry{};
  passwd* found = nullptr;
  if (getpwuid_r(getuid(), &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr) {
    return found->pw_name;
  }
  return std::to_string(getuid());
}

AuditEntry EntryOf(const char* route) {
  AuditEntry entry;
  entry.user = UserHere();
  entry.scope = core::TokenScopeName(core::TokenScope::kAdmin);
  entry.from = "local";
  entry.method = "reckon";
  entry.route = route;
  entry.status = 200;
  return entry;
}

// What was done is said, also when it cannot be written down.
void Note(const AuditEntry& entry, const Context& context) {
  AuditLog log(AuditFile(context.db), context.clock);
  const base::Status written = log.Write(entry);
  if (!written.ok()) context.log.Error("audit log: " + written.error().Describe());
}

}  // namespace

Result<Json> MakeTokenHere(const TokenWish& wish, const Context& context) {
  RECKON_ASSIGN(const auto store, OpenStore(context, true));
  RECKON_ASSIGN(const MadeToken made, MakeToken(wish, *store, context.clock));
  AuditEntry entry = EntryOf("token create");
  entry.made = made.token.id;
  Note(entry, context);
  return ToJson(made);
}

Result<Json> TokensHere(const Context& context) {
  RECKON_ASSIGN(const auto store, OpenStore(context, false));
  RECKON_ASSIGN(const std::vector<core::Token> tokens, store->ListTokens());
  return TokensJson(tokens);
}

Result<Json> RevokeTokenHere(const std::string& which, const Context& context) {
  RECKON_ASSIGN(const auto store, OpenStore(context, false));
  RECKON_ASSIGN(const core::Token token, RevokeToken(which, *store));
  AuditEntry entry = EntryOf("token revoke");
  entry.path["id"] = std::to_string(token.id);
  Note(entry, context);
  return ToJson(token);
}

}  // namespace reckon::app
