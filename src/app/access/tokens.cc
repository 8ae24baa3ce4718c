#include "app/access/tokens.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/field_reader.h"
#include "base/random_token.h"
#include "base/text.h"
#include "net/sha256.h"

namespace reckon::app {

using base::Json;
using base::Result;
using core::Token;
using core::TokenScope;

namespace {

constexpr size_t kSecretBytes = 32;
// So that people and scanners of files know one when they see it.
constexpr const char* kMark = "reckon_";
constexpr double kLongestLife = 100.0 * 366 * 86'400;

Json TimeJson(const std::optional<base::WallTime>& time) {
  return time ? Json(base::FormatTime(*time)) : Json();
}

}  // namespace

std::string HashOfSecret(std::string_view secret) { return net::Sha256(secret); }

Result<std::string> NewSecret() {
  RECKON_ASSIGN(const std::string random, base::RandomToken(kSecretBytes));
  return kMark + random;
}

Result<MadeToken> MakeToken(const TokenWish& wish, store::Store& store, const base::Clock& clock) {
  Token token;
  if (!base::IsPlainName(wish.name) || base::ParseInteger(wish.name)) {
    return base::BadInput(fmt::format(
        "name: '{}' is no name of a token; expected letters, digits and '._+-', not a number alone",
        wish.name));
  }
  const auto scope = core::ParseTokenScope(wish.scope);
  if (!scope || *scope == TokenScope::kNode) {
    return base::BadInput(fmt::format(
        "scope: expected viewer, operator, admin or agent (a join token), found '{}'", wish.scope));
  }
  if (wish.most_uses && *scope != TokenScope::kAgent) {
    return base::BadInput("uses: only the uses of join tokens are counted (scope agent)");
  }
  if (wish.lifetime_s) {
    if (!(*wish.lifetime_s > 0) || *wish.lifetime_s > kLongestLife) {
      return base::BadInput("expires: expected a time from now, of at most a hundred years");
    }
    token.expires_at =
        clock.Now() + std::chrono::microseconds(std::llround(1e6 * *wish.lifetime_s));
  }
  token.name = wish.name;
  token.scope = *scope;
  token.user = wish.user;
  token.project = wish.project;
  token.most_uses = wish.most_uses;
  RECKON_ASSIGN(std::string secret, NewSecret());
  token.hash = HashOfSecret(secret);
  RECKON_ASSIGN(token, store.AddToken(token));
  return MadeToken{std::move(token), std::move(secret)};
}

Json TokensJson(const std::vector<Token>& tokens) {
  Json json{{"tokens", Json::array()}};
  for (const Token& token : tokens) json["tokens"].push_back(ToJson(token));
  return json;
}

Result<int64_t> FindTokenId(const Json& tokens, const std::string& which) {
  const auto number = base::ParseInteger(which);
  std::optional<int64_t> found;  // of one name only the newest can be one that is not revoked
  std::vector<std::string> names;
  for (const Json& token : tokens.value("tokens", Json::array())) {
    const auto id = token.value("id", int64_t{0});
    const std::string name = token.value("name", "");
    // Secrets of nodes are named as their nodes are, and not by themselves.
    const bool is_node = token.value("scope", "") == core::TokenScopeName(core::TokenScope::kNode);
    if (number ? id == *number : !is_node && name == which) found = id;
    if (!is_node) names.push_back(name);
  }
  if (found) return *found;
  return base::Error(base::ErrorCode::kNotFound,
                     fmt::format("no token '{}'{}", which, base::SuggestFrom(which, names)));
}

Result<Token> RevokeToken(const std::string& which, store::Store& store) {
  RECKON_ASSIGN(const std::vector<Token> tokens, store.ListTokens());
  RECKON_ASSIGN(const int64_t id, FindTokenId(TokensJson(tokens), which));
  return store.RevokeToken(id);
}

std::string WhyNotValid(const Token& token, base::WallTime now) {
  if (token.revoked_at) return "was revoked";
  if (token.expires_at && *token.expires_at <= now) return "has expired";
  return "";
}

bool AnyUsable(const std::vector<Token>& tokens, base::WallTime now) {
  return std::any_of(tokens.begin(), tokens.end(), [now](const Token& token) {
    return token.scope != TokenScope::kNode && WhyNotValid(token, now).empty();
  });
}

Json ToJson(const Token& token) {
  return {{"id", token.id},
          {"name", token.name},
          {"scope", core::TokenScopeName(token.scope)},
          {"user", token.user},
          {"project", token.project},
          {"created_at", base::FormatTime(token.created_at)},
          {"expires_at", TimeJson(token.expires_at)},
          {"revoked_at", TimeJson(token.revoked_at)},
          {"last_used_at", TimeJson(token.last_used_at)},
          {"uses", token.uses},
          {"most_uses", token.most_uses ? Json(*token.most_uses) : Json()}};
}

Json ToJson(const MadeToken& made) {
  Json json = ToJson(made.token);
  json["token"] = made.secret;
  return json;
}

Result<TokenWish> TokenWishFromJson(const Json& json) {
  TokenWish wish;
  base::FieldReader fields(json, "");
  fields.Require("name");
  fields.Require("scope");
  fields.Read("name", wish.name);
  fields.Read("scope", wish.scope);
  fields.Read("user", wish.user);
  fields.Read("project", wish.project);
  fields.Read("lifetime_s", wish.lifetime_s);
  if (fields.Has("most_uses")) {
    int64_t uses = 0;
    fields.Read("most_uses", uses);
    wish.most_uses = uses;
  }
  RECKON_TRY(fields.Check());
  return wish;
}

Json ToJson(const TokenWish& wish) {
  Json json{
      {"name", wish.name}, {"scope", wish.scope}, {"user", wish.user}, {"project", wish.project}};
  if (wish.lifetime_s) json["lifetime_s"] = *wish.lifetime_s;
  if (wish.most_uses) json["most_uses"] = *wish.most_uses;
  return json;
}

}  // namespace reckon::app
