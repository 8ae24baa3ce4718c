#include "serve/sign_in.h"

#include <memory>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "app/access/tokens.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/base/fake_clock.h"

namespace reckon::serve {
namespace {

using core::TokenScope;
using std::chrono::seconds;
using ::testing::HasSubstr;

class SignInTest : public ::testing::Test {
 protected:
  SignInTest() : store_(store::SqliteStore::Open(folder_ / "x.db", clock_).value()) {}

  std::string Make(const std::string& name, const std::string& scope,
                   std::optional<double> lifetime_s = std::nullopt) {
    const auto made =
        app::MakeToken({name, scope, "Ada", "digits", lifetime_s, {}}, *store_, clock_);
    EXPECT_TRUE(made.ok()) << made.error().Describe();
    return made->secret;
  }
  SignIn& Begin(SignInOptions options = {}) {
    sign_in_.emplace(options, *store_, clock_, log_);
    return *sign_in_;
  }

  // "operator ci", or "401 the token is wrong".
  std::string Show(const std::string& authorization, const std::string& peer = "10.0.0.1") {
    net::HttpRequest head{"GET", "/", {}, "", peer};
    if (!authorization.empty()) head.headers["authorization"] = authorization;
    const auto who = sign_in_->Identify(head);
    if (const auto* stranger = std::get_if<Stranger>(&who)) {
      EXPECT_EQ(stranger->wait.has_value(), stranger->status == 429);
      return std::to_string(stranger->status) + " " + stranger->why;
    }
    const Caller& caller = std::get<Caller>(who);
    return std::string(core::TokenScopeName(caller.scope)) + " " + caller.name;
  }
  std::string ShowToken(const std::string& token, const std::string& peer = "10.0.0.1") {
    return Show("Bearer " + token, peer);
  }

  support::TempFolder folder_;
  base::FakeClock clock_;
  base::Logger log_{base::LogLevel::kOff};
  std::unique_ptr<store::SqliteStore> store_;
  std::optional<SignIn> sign_in_;
};

TEST_F(SignInTest, TokensOfTheStoreAndOfTheFileAreKnown) {
  const std::string ci = Make("ci", "operator");
  Begin({.admin_token = "from the file"});
  EXPECT_EQ(ShowToken(ci), "operator ci");
  EXPECT_EQ(ShowToken("from the file"), "admin (token file)");
  EXPECT_EQ(Show("bearer " + ci), "operator ci");
  EXPECT_EQ(Show(""), "401 a token is needed");
  EXPECT_EQ(Show("Basic " + ci), "401 a token is needed");
}

TEST_F(SignInTest, NearlyRightIsWrong) {
  const std::string ci = Make("ci", "operator");
  for (const std::string& wrong :
       {ci.substr(0, ci.size() - 1), ci + "0", " " + ci, std::string("x"), std::string(5'000, 'x'),
        app::HashOfSecret(ci), std::string("from the fil"), std::string("(token file)")}) {
    Begin({.admin_token = "from the file"});
    EXPECT_EQ(ShowToken(wrong), "401 the token is wrong") << wrong;
  }
}

TEST_F(SignInTest, WithoutATokenFromOutsideAnEmptyOneIsNone) {
  Begin();
  EXPECT_EQ(ShowToken(""), "401 a token is needed");
  EXPECT_EQ(ShowToken(" "), "401 the token is wrong");
}

TEST_F(SignInTest, WhatIsRevokedOrExpiredIsRefusedAtTheLatestAfterASecond) {
  const std::string brief = Make("brief", "viewer", 60);
  const std::string ci = Make("ci", "operator");
  Begin();
  EXPECT_EQ(ShowToken(brief), "viewer brief");
  EXPECT_EQ(ShowToken(ci), "operator ci");
  clock_.Advance(seconds(60));
  EXPECT_EQ(ShowToken(brief), "401 the token has expired");
  // By another program: it is believed for a second, here by the one look that follows.
  EXPECT_EQ(ShowToken(ci), "operator ci");
  ASSERT_TRUE(app::RevokeToken("ci", *store_).ok());
  clock_.Advance(seconds(1));
  EXPECT_EQ(ShowToken(ci), "401 the token was revoked");
  // By this one: at once.
  const std::string other = Make("other", "viewer");
  EXPECT_EQ(ShowToken(other), "viewer other");
  const auto revoked = app::RevokeToken("other", *store_);
  sign_in_->Forget(revoked->id);
  EXPECT_EQ(ShowToken(other), "401 the token was revoked");
}

TEST_F(SignInTest, AFloodOfWrongTokensLocksOutNobodyElse) {
  const std::string ci = Make("ci", "operator");
  const std::string late = Make("late", "operator");
  Begin({.admin_token = "from the file", .limits = {.free_failures = 3}});
  EXPECT_EQ(ShowToken(ci), "operator ci");
  int refused = 0;
  for (int i = 0; i < 1'000; ++i) refused += ShowToken("wrong").starts_with("401") ? 1 : 0;
  EXPECT_EQ(refused, 4);
  EXPECT_THAT(ShowToken("wrong"), HasSubstr("wait 1 s"));
  // From other addresses all is as ever; from this one for those who are known.
  EXPECT_EQ(ShowToken(late, "10.0.0.2"), "operator late");
  EXPECT_EQ(ShowToken(ci), "operator ci");
  // What people have thought up could be guessed, if it were let in all the same.
  EXPECT_THAT(ShowToken("from the file"), HasSubstr("429"));
  EXPECT_EQ(ShowToken("from the file", "10.0.0.2"), "admin (token file)");
  const std::string newer = Make("newer", "viewer");
  EXPECT_THAT(ShowToken(newer), HasSubstr("429"));
  clock_.Advance(seconds(1));
  EXPECT_EQ(ShowToken(newer), "viewer newer");
}

TEST_F(SignInTest, UseIsNotedNowAndThen) {
  const std::string ci = Make("ci", "operator");
  Begin();
  ShowToken(ci);
  const auto first = store_->ListTokens()->front().last_used_at;
  ASSERT_TRUE(first.has_value());
  clock_.Advance(seconds(600));
  ShowToken(ci);
  EXPECT_EQ(store_->ListTokens()->front().last_used_at, first);
  clock_.Advance(seconds(3'600));
  ShowToken(ci);
  EXPECT_GT(store_->ListTokens()->front().last_used_at, first);
}

TEST_F(SignInTest, WhereNobodyIsAskedEverybodyIsAnAdmin) {
  Begin({.open = true});
  EXPECT_EQ(Show(""), "admin ");
  EXPECT_EQ(ShowToken("whatever"), "admin ");
}

}  // namespace
}  // namespace reckon::serve
