#include "watch/strikes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace reckon::watch {
namespace {

using testing::HasSubstr;

const StrikePolicy kPolicy{.grace_s = 10, .lost_s = 30, .most_strikes = 3, .cool_down_s = 100};

TEST(StrikesTest, SilenceIsForgivenThenMeansNoWorkThenAStrike) {
  NodeStanding node{.heard_at = 1000};
  EXPECT_TRUE(IsUsable(node, kPolicy, 1009));
  EXPECT_FALSE(IsUsable(node, kPolicy, 1010));
  EXPECT_FALSE(Look(node, kPolicy, 1029));
  EXPECT_FALSE(Hear(node, 1029)) << "it was never lost";
  EXPECT_TRUE(IsUsable(node, kPolicy, 1029));
  EXPECT_EQ(node.strikes, 0);
  const auto lost = Look(node, kPolicy, 1059);
  ASSERT_TRUE(lost);
  EXPECT_EQ(lost->kind, "node.lost");
  EXPECT_THAT(lost->why, HasSubstr("silent for 30 s (1 of 3)"));
  EXPECT_FALSE(Look(node, kPolicy, 1200)) << "one loss is one strike, however long it lasts";
  const auto back = Hear(node, 1300);
  ASSERT_TRUE(back);
  EXPECT_EQ(back->kind, "node.back");
  EXPECT_TRUE(IsUsable(node, kPolicy, 1300));
  EXPECT_EQ(node.strikes, 1);
}

TEST(StrikesTest, TheThirdExcludesAndProbationFollows) {
  NodeStanding node{.heard_at = 0};
  EXPECT_EQ(AddStrike(node, kPolicy, 1, "worker 0 crashed").kind, "node.strike");
  EXPECT_FALSE(Succeed(node)) << "successes do not make up for strikes while a node is good";
  EXPECT_EQ(node.strikes, 1);
  EXPECT_EQ(AddStrike(node, kPolicy, 2, "worker 0 crashed").kind, "node.strike");
  const StandingChange third = AddStrike(node, kPolicy, 3, "worker 0 crashed");
  EXPECT_EQ(third.kind, "node.excluded");
  EXPECT_THAT(third.why, HasSubstr("worker 0 crashed; left out after 3 strikes for 100 s"));
  EXPECT_FALSE(Succeed(node));
  Hear(node, 50);
  EXPECT_FALSE(IsUsable(node, kPolicy, 50));
  AddStrike(node, kPolicy, 60, "again");
  EXPECT_EQ(node.excluded_until, 103) << "what happens meanwhile does not prolong it";
  Hear(node, 102);
  EXPECT_FALSE(Look(node, kPolicy, 102));
  EXPECT_EQ(Look(node, kPolicy, 103)->kind, "node.probation");
  EXPECT_TRUE(IsUsable(node, kPolicy, 103));
  // One more is enough now.
  EXPECT_EQ(AddStrike(node, kPolicy, 110, "worker 0 crashed").kind, "node.excluded");
  Hear(node, 209);
  EXPECT_EQ(Look(node, kPolicy, 211)->kind, "node.probation");
  EXPECT_EQ(Succeed(node)->kind, "node.forgiven");
  EXPECT_EQ(node.strikes, 0);
  EXPECT_EQ(AddStrike(node, kPolicy, 300, "x").kind, "node.strike");
}

TEST(StrikesTest, ALossMayBeTheLastStrike) {
  NodeStanding node{.strikes = 2, .heard_at = 0};
  const auto change = Look(node, kPolicy, 31);
  ASSERT_TRUE(change);
  EXPECT_EQ(change->kind, "node.excluded");
  EXPECT_TRUE(node.lost);
  // The exclusion may be over while nobody has heard of it: still no work.
  EXPECT_EQ(Look(node, kPolicy, 131)->kind, "node.probation");
  EXPECT_FALSE(IsUsable(node, kPolicy, 131));
  EXPECT_EQ(Hear(node, 140)->kind, "node.back");
  EXPECT_TRUE(IsUsable(node, kPolicy, 140));
}

}  // namespace
}  // namespace reckon::watch
