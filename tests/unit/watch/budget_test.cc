#include "watch/budget.h"

#include <gmock/gmock.h>

namespace reckon::watch {
namespace {

using ::testing::HasSubstr;

// A cent a second.
BudgetFacts Facts(double spent, std::optional<double> remaining_s) {
  return {.budget = 10, .spent = spent, .per_second = 0.01, .remaining_s = remaining_s};
}

TEST(BudgetTest, WhatFitsGoesOn) {
  EXPECT_EQ(JudgeBudget(Facts(0, {})).advice, BudgetAdvice::kGoOn);
  const BudgetVerdict fits = JudgeBudget(Facts(4, 600));
  EXPECT_EQ(fits.advice, BudgetAdvice::kGoOn);
  EXPECT_DOUBLE_EQ(*fits.cost_at_end, 10);
}

TEST(BudgetTest, WarnsEarlyEndsInTimeAndStopsAtTheLatest) {
  BudgetFacts facts = Facts(4, 700);
  facts.epoch_s = 100;
  facts.epoch_left_s = 30;
  const BudgetVerdict warned = JudgeBudget(facts);
  EXPECT_EQ(warned.advice, BudgetAdvice::kWarn);
  EXPECT_THAT(warned.why, HasSubstr("likely cost 11 $; the budget is 10 $"));
  // 30 s of this epoch and 100 of the next cost 1.3 dollars.
  facts.spent = 8.69;
  EXPECT_EQ(JudgeBudget(facts).advice, BudgetAdvice::kWarn);
  facts.spent = 8.71;
  EXPECT_EQ(JudgeBudget(facts).advice, BudgetAdvice::kEndAfterEpoch);
  // Of what has no epochs one can only see the end come.
  facts.epoch_s = facts.epoch_left_s = 0;
  EXPECT_EQ(JudgeBudget(facts).advice, BudgetAdvice::kWarn);
  facts.spent = 10;
  EXPECT_EQ(JudgeBudget(facts).advice, BudgetAdvice::kStop);
}

TEST(BudgetTest, TheLastEpochIsTrainedWhenItFits) {
  BudgetFacts facts = Facts(9.5, 40);
  facts.epoch_s = 100;
  facts.epoch_left_s = 40;
  EXPECT_EQ(JudgeBudget(facts).advice, BudgetAdvice::kGoOn);
}

}  // namespace
}  // namespace reckon::watch
