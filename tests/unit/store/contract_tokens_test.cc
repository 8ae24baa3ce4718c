#include <string>
#include <vector>

#include "tests/unit/store/contract.h"

namespace reckon::store::testing {
namespace {

using base::ErrorCode;
using core::Token;
using core::TokenScope;

std::string Hash(char digit) { return std::string(64, digit); }

Token TokenOf(const std::string& name, TokenScope scope, char digit) {
  Token token;
  token.name = name;
  token.scope = scope;
  token.hash = Hash(digit);
  return token;
}

TEST_P(StoreContract, ATokenIsFoundByItsHashWithAllThatWasSaidOfIt) {
  Token token = TokenOf("ci", TokenScope::kOperator, 'a');
  token.user = "Ada";
  token.project = "digits";
  token.expires_at = clock_.Now() + std::chrono::hours(1);
  token.most_uses = 3;
  token.uses = 7;                     // not the caller's to say
  token.revoked_at = clock_.Now();    // likewise
  token.last_used_at = clock_.Now();  // likewise
  const auto added = store_->AddToken(token);
  ASSERT_TRUE(added.ok()) << added.error().Describe();
  Reopen();
  const auto found = store_->FindToken(Hash('a'));
  ASSERT_TRUE(found.ok() && found->has_value());
  const Token& one = **found;
  EXPECT_EQ(one.id, added->id);
  EXPECT_EQ(one.name, "ci");
  EXPECT_EQ(one.scope, TokenScope::kOperator);
  EXPECT_EQ(one.user, "Ada");
  EXPECT_EQ(one.project, "digits");
  EXPECT_EQ(one.created_at, added->created_at);
  EXPECT_EQ(one.expires_at, token.expires_at);
  EXPECT_EQ(one.most_uses, 3);
  EXPECT_EQ(one.uses, 0);
  EXPECT_EQ(one.revoked_at, std::nullopt);
  EXPECT_EQ(one.last_used_at, std::nullopt);
  EXPECT_EQ(store_->FindToken(Hash('b')).value(), std::nullopt);
}

TEST_P(StoreContract, NamesOfTokensAreUniqueUntilTheyAreRevoked) {
  const int64_t first = store_->AddToken(TokenOf("ci", TokenScope::kViewer, 'a'))->id;
  EXPECT_EQ(store_->AddToken(TokenOf("ci", TokenScope::kAdmin, 'b')).error().code(),
            ErrorCode::kBadInput);
  EXPECT_EQ(store_->AddToken(TokenOf("other", TokenScope::kAdmin, 'a')).error().code(),
            ErrorCode::kBadInput);
  // A node may be named as somebody's token.
  ASSERT_TRUE(store_->AddToken(TokenOf("ci", TokenScope::kNode, 'c')).ok());
  const auto revoked = store_->RevokeToken(first);
  ASSERT_TRUE(revoked.ok()) << revoked.error().Describe();
  EXPECT_TRUE(revoked->revoked_at.has_value());
  EXPECT_EQ(store_->RevokeToken(first)->revoked_at, revoked->revoked_at);
  EXPECT_TRUE(store_->AddToken(TokenOf("ci", TokenScope::kAdmin, 'b')).ok());
  EXPECT_EQ(store_->ListTokens()->size(), 3U);
  EXPECT_EQ(store_->ListTokens()->front().revoked_at, revoked->revoked_at);
  EXPECT_EQ(store_->RevokeToken(77).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(store_->TouchToken(77).error().code(), ErrorCode::kNotFound);
  ASSERT_TRUE(store_->TouchToken(first).ok());
  EXPECT_TRUE(store_->ListTokens()->front().last_used_at.has_value());
}

TEST_P(StoreContract, TokensThatAreNoneAreRefused) {
  Token token = TokenOf("x", TokenScope::kViewer, 'a');
  token.hash = "secret";
  EXPECT_EQ(store_->AddToken(token).error().code(), ErrorCode::kBadInput);
  token.hash = std::string(64, 'A');
  EXPECT_EQ(store_->AddToken(token).error().code(), ErrorCode::kBadInput);
  EXPECT_EQ(store_->AddToken(TokenOf("", TokenScope::kViewer, 'a')).error().code(),
            ErrorCode::kBadInput);
  token = TokenOf("x", TokenScope::kViewer, 'a');
  token.user = "a\nb";
  EXPECT_EQ(store_->AddToken(token).error().code(), ErrorCode::kBadInput);
  token = TokenOf("x", TokenScope::kViewer, 'a');
  token.most_uses = 0;
  EXPECT_EQ(store_->AddToken(token).error().code(), ErrorCode::kBadInput);
  EXPECT_TRUE(store_->ListTokens()->empty());
}

TEST_P(StoreContract, AJoinTokenVouchesForAsManyNodesAsItMay) {
  Token join = TokenOf("rack", TokenScope::kAgent, 'a');
  join.most_uses = 2;
  ASSERT_TRUE(store_->AddToken(join).ok());
  const auto n0 = store_->JoinNode(Hash('a'), TokenOf("n0", TokenScope::kNode, '0'));
  ASSERT_TRUE(n0.ok()) << n0.error().Describe();
  // The answer was lost, and it is asked again.
  const auto again = store_->JoinNode(Hash('a'), TokenOf("n0", TokenScope::kNode, '0'));
  ASSERT_TRUE(again.ok()) << again.error().Describe();
  EXPECT_EQ(again->id, n0->id);
  EXPECT_EQ((*store_->FindToken(Hash('a')))->uses, 1);
  // Somebody else who wants to be that node.
  EXPECT_EQ(store_->JoinNode(Hash('a'), TokenOf("n0", TokenScope::kNode, '9')).error().code(),
            ErrorCode::kFailed);
  // A node that shows another's secret as its own.
  EXPECT_EQ(store_->JoinNode(Hash('a'), TokenOf("n1", TokenScope::kNode, '0')).error().code(),
            ErrorCode::kFailed);
  EXPECT_EQ((*store_->FindToken(Hash('a')))->uses, 1);
  ASSERT_TRUE(store_->JoinNode(Hash('a'), TokenOf("n1", TokenScope::kNode, '1')).ok());
  EXPECT_EQ(store_->JoinNode(Hash('a'), TokenOf("n2", TokenScope::kNode, '2')).error().code(),
            ErrorCode::kFailed);
  EXPECT_EQ((*store_->FindToken(Hash('a')))->uses, 2);
  EXPECT_EQ(store_->ListTokens()->size(), 3U);
}

TEST_P(StoreContract, OnlyJoinTokensThatHoldVouchForNodes) {
  const Token secret = TokenOf("n0", TokenScope::kNode, '0');
  EXPECT_EQ(store_->JoinNode(Hash('a'), secret).error().code(), ErrorCode::kNotFound);
  ASSERT_TRUE(store_->AddToken(TokenOf("op", TokenScope::kOperator, 'b')).ok());
  EXPECT_EQ(store_->JoinNode(Hash('b'), secret).error().code(), ErrorCode::kFailed);
  Token expired = TokenOf("old", TokenScope::kAgent, 'c');
  expired.expires_at = clock_.Now();
  ASSERT_TRUE(store_->AddToken(expired).ok());
  EXPECT_EQ(store_->JoinNode(Hash('c'), secret).error().code(), ErrorCode::kFailed);
  const int64_t revoked = store_->AddToken(TokenOf("gone", TokenScope::kAgent, 'd'))->id;
  ASSERT_TRUE(store_->RevokeToken(revoked).ok());
  EXPECT_EQ(store_->JoinNode(Hash('d'), secret).error().code(), ErrorCode::kFailed);
  EXPECT_EQ(store_->FindToken(Hash('0')).value(), std::nullopt);
  // Somebody who needs no join token.
  EXPECT_TRUE(store_->JoinNode("", secret).ok());
}

TEST_P(StoreContract, ANodeThatIsRemovedLosesItsSecret) {
  const core::NodeRecord record{"n0", "{}"};
  ASSERT_TRUE(store_->SaveNodes({&record, 1}, {}).ok());
  ASSERT_TRUE(store_->AddToken(TokenOf("rack", TokenScope::kAgent, 'a')).ok());
  const Token secret = TokenOf("n0", TokenScope::kNode, '0');
  ASSERT_TRUE(store_->JoinNode(Hash('a'), secret).ok());
  core::Event event;
  event.kind = "node.removed";
  ASSERT_TRUE(store_->RemoveNode("n0", {&event, 1}).ok());
  EXPECT_TRUE(store_->ListNodes()->empty());
  EXPECT_TRUE((*store_->FindToken(Hash('0')))->revoked_at.has_value());
  EXPECT_EQ(store_->ListEvents({}, 0, 10)->back().kind, "node.removed");
  EXPECT_EQ(store_->RemoveNode("n0", {&event, 1}).error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(store_->ListEvents({}, 0, 10)->size(), 1U);
  // Not with the secret that died, but with a new one.
  EXPECT_EQ(store_->JoinNode(Hash('a'), secret).error().code(), ErrorCode::kFailed);
  EXPECT_TRUE(store_->JoinNode(Hash('a'), TokenOf("n0", TokenScope::kNode, '1')).ok());
  // One whose agent has joined and not spoken yet.
  EXPECT_TRUE(store_->RemoveNode("n0", {}).ok());
}

}  // namespace
}  // namespace reckon::store::testing
