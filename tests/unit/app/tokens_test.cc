#include "app/access/tokens.h"

#include <memory>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "store/sqlite/sqlite_store.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/base/fake_clock.h"

namespace reckon::app {
namespace {

using base::ErrorCode;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class TokensTest : public ::testing::Test {
 protected:
  base::Result<MadeToken> Make(const TokenWish& wish) { return MakeToken(wish, *store_, clock_); }

  support::TempFolder folder_;
  base::FakeClock clock_;
  std::unique_ptr<store::Store> store_ = store::SqliteStore::Open(folder_ / "x.db", clock_).value();
};

TEST_F(TokensTest, TheHashIsSha256) {
  EXPECT_EQ(HashOfSecret("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(HashOfSecret(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_F(TokensTest, SecretsAreLongAndNeverTheSameAndNotInTheStore) {
  std::set<std::string> secrets;
  for (int i = 0; i < 100; ++i) {
    const auto made = Make({"t" + std::to_string(i), "viewer", "", "", {}, {}});
    ASSERT_TRUE(made.ok()) << made.error().Describe();
    EXPECT_THAT(made->secret, StartsWith("reckon_"));
    EXPECT_EQ(made->secret.size(), 7U + 64U);
    EXPECT_EQ(made->token.hash, HashOfSecret(made->secret));
    EXPECT_THAT(ToJson(made->token).dump(), Not(HasSubstr(made->secret)));
    EXPECT_THAT(ToJson(made->token).dump(), Not(HasSubstr(made->token.hash)));
    secrets.insert(made->secret);
  }
  EXPECT_EQ(secrets.size(), 100U);
}

TEST_F(TokensTest, WhatIsWrongWithAWishIsSaid) {
  struct Case {
    TokenWish wish;
    const char* reason;
  };
  const Case cases[] = {{{"", "viewer", "", "", {}, {}}, "name"},
                        {{"a b", "viewer", "", "", {}, {}}, "name"},
                        {{"12", "viewer", "", "", {}, {}}, "not a number alone"},
                        {{"(token file)", "viewer", "", "", {}, {}}, "name"},
                        {{"x", "", "", "", {}, {}}, "scope: expected viewer, operator"},
                        {{"x", "root", "", "", {}, {}}, "found 'root'"},
                        {{"x", "node", "", "", {}, {}}, "found 'node'"},
                        {{"x", "viewer", "a\nb", "", {}, {}}, "user of a token"},
                        {{"x", "viewer", "", "", 0.0, {}}, "expires"},
                        {{"x", "viewer", "", "", 1e12, {}}, "expires"},
                        {{"x", "viewer", "", "", {}, 3}, "uses"},
                        {{"x", "agent", "", "", {}, 0}, "not be used even once"}};
  for (const Case& one : cases) {
    const auto made = Make(one.wish);
    ASSERT_FALSE(made.ok()) << one.reason;
    EXPECT_EQ(made.error().code(), ErrorCode::kBadInput) << one.reason;
    EXPECT_THAT(made.error().Describe(), HasSubstr(one.reason));
  }
}

TEST_F(TokensTest, ATokenIsRevokedByItsNameOrNumber) {
  const int64_t first = Make({"ci", "viewer", "", "", {}, {}})->token.id;
  ASSERT_TRUE(RevokeToken("ci", *store_).ok());
  const int64_t second = Make({"ci", "viewer", "", "", {}, {}})->token.id;
  // The name means the newer one, the number that very one.
  EXPECT_EQ(RevokeToken(std::to_string(first), *store_)->id, first);
  EXPECT_TRUE(WhyNotValid(store_->ListTokens()->back(), clock_.Now()).empty());
  EXPECT_EQ(RevokeToken("ci", *store_)->id, second);
  EXPECT_EQ(WhyNotValid(store_->ListTokens()->back(), clock_.Now()), "was revoked");
  EXPECT_EQ(RevokeToken("cj", *store_).error().code(), ErrorCode::kNotFound);
  EXPECT_THAT(RevokeToken("cj", *store_).error().Describe(), HasSubstr("did you mean 'ci'"));
  EXPECT_EQ(RevokeToken("99", *store_).error().code(), ErrorCode::kNotFound);
}

TEST_F(TokensTest, OnlyTokensThatHoldKeepAServiceClosed) {
  EXPECT_FALSE(AnyUsable(*store_->ListTokens(), clock_.Now()));
  ASSERT_TRUE(Make({"brief", "viewer", "", "", 10, {}}).ok());
  EXPECT_TRUE(AnyUsable(*store_->ListTokens(), clock_.Now()));
  clock_.Advance(std::chrono::seconds(10));
  EXPECT_FALSE(AnyUsable(*store_->ListTokens(), clock_.Now()));
  core::Token secret;
  secret.name = "n0";
  secret.scope = core::TokenScope::kNode;
  secret.hash = HashOfSecret("n0");
  ASSERT_TRUE(store_->AddToken(secret).ok());
  EXPECT_FALSE(AnyUsable(*store_->ListTokens(), clock_.Now()));
}

}  // namespace
}  // namespace reckon::app
