#include "watch/cheaper_crew.h"

#include <gmock/gmock.h>

namespace reckon::watch {
namespace {

using ::testing::ElementsAre;

// A dollar a second is 3600 an hour.
CrewFacts FourOfADollar() {
  CrewFacts facts;
  facts.present = {{"a", 3600}, {"b", 3600}, {"c", 3600}, {"d", 3600}};
  facts.remaining_s = 100;
  facts.budget_left = 300;
  facts.restart_s = 5;
  return facts;
}

TEST(CheaperCrewTest, FewerEqualNodesAreNoCheaperForAllThatIsKnown) {
  EXPECT_FALSE(FindCheaperCrew(FourOfADollar()));
}

TEST(CheaperCrewTest, AModelTellsThatFewerAreMoreEfficient) {
  CrewFacts facts = FourOfADollar();
  // Half of the four's time goes to exchange, which one alone does not have.
  facts.ratio = [](size_t nodes) { return nodes == 1 ? 2.0 : 1 + 0.5 * (4.0 / nodes - 1); };
  const auto crew = FindCheaperCrew(facts);
  ASSERT_TRUE(crew);
  // Three: (5 + 117) * 3 = 365, two: (5 + 150) * 2 = 310, one: 205.
  EXPECT_THAT(crew->nodes, ElementsAre("a"));
  EXPECT_DOUBLE_EQ(crew->seconds, 205);
  EXPECT_DOUBLE_EQ(crew->cost, 205);
  facts.budget_left = 320;
  EXPECT_THAT(FindCheaperCrew(facts)->nodes, ElementsAre("a", "b")) << "the fastest that keeps it";
}

TEST(CheaperCrewTest, CheaperNodesThatAreFreeAreTaken) {
  CrewFacts facts = FourOfADollar();
  facts.free = {{"x", 360}, {"y", 720}};
  const auto crew = FindCheaperCrew(facts);
  ASSERT_TRUE(crew);
  // Two: 205 s of 0.3 $; three: (5 + 133) * 1.3 = 180 $; four: 105 * 2.3 = 242 $.
  EXPECT_THAT(crew->nodes, ElementsAre("x", "y", "a", "b"));
  EXPECT_NEAR(crew->cost, 241.5, 1e-9);
  facts.budget_left = 100;
  EXPECT_THAT(FindCheaperCrew(facts)->nodes, ElementsAre("x", "y"));
  facts.budget_left = 10;
  EXPECT_FALSE(FindCheaperCrew(facts));
}

TEST(CheaperCrewTest, WhatARestartCostsCounts) {
  CrewFacts facts = FourOfADollar();
  facts.free = {{"x", 3500}};
  facts.budget_left = 398;
  facts.restart_s = 0;
  EXPECT_TRUE(FindCheaperCrew(facts));
  facts.restart_s = 12;  // x alone: 412 s of 0.97 $
  EXPECT_FALSE(FindCheaperCrew(facts)) << "it would cost more than going on";
}

}  // namespace
}  // namespace reckon::watch
