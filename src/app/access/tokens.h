// Tokens of the service: making, finding and revoking them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/result.h"
#include "core/token.h"
#include "store/store.h"

namespace reckon::app {

// What is asked for.
struct TokenWish {
  std::string name;   // letters, digits and "._+-", not digits alone
  std::string scope;  // of people: admin, operator, viewer; agent: a join token
  std::string user;
  std::string project;
  std::optional<double> lifetime_s;  // nullopt: for ever
  std::optional<int64_t> most_uses;  // of join tokens; nullopt: any number
};

struct MadeToken {
  core::Token token;
  std::string secret;  // to be shown once: nobody has it afterwards
};

// kBadInput: what is wrong with it, or its name is taken.
base::Result<MadeToken> MakeToken(const TokenWish& wish, store::Store& store,
                                  const base::Clock& clock);
// By its name or number. kNotFound.
base::Result<core::Token> RevokeToken(const std::string& which, store::Store& store);

// What the store keeps of a secret. Secrets are as random as they are long, so that a fast hash
// cannot be searched.
std::string HashOfSecret(std::string_view secret);
// 256 random bits.
base::Result<std::string> NewSecret();

// Why it is not valid now: "has expired", "was revoked"; "" when it is.
std::string WhyNotValid(const core::Token& token, base::WallTime now);
// Whether somebody could sign in or join with one of these.
bool AnyUsable(const std::vector<core::Token>& tokens, base::WallTime now);

// As answers show it: without its hash.
base::Json ToJson(const core::Token& token);
base::Json ToJson(const MadeToken& made);
// {"tokens": [...]}
base::Json TokensJson(const std::vector<core::Token>& tokens);
// The number in such a list of the token of that number, or of that name and newest. kNotFound.
base::Result<int64_t> FindTokenId(const base::Json& tokens, const std::string& which);
base::Result<TokenWish> TokenWishFromJson(const base::Json& json);
base::Json ToJson(const TokenWish& wish);

}  // namespace reckon::app
