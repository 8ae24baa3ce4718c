#include "watch/budget.h"

#include <fmt/format.h>

namespace reckon::watch {

BudgetVerdict JudgeBudget(const BudgetFacts& facts) {
  BudgetVerdict verdict;
  if (facts.remaining_s) verdict.cost_at_end = facts.spent + facts.per_second * *facts.remaining_s;
  if (facts.spent >= facts.budget) {
    verdict.advice = BudgetAdvice::kStop;
    verdict.why = fmt::format("the budget of {:.4g} $ is spent", facts.budget);
    return verdict;
  }
  if (!verdict.cost_at_end || *verdict.cost_at_end <= facts.budget) return verdict;
  const double after_next = facts.spent + facts.per_second * (facts.epoch_left_s + facts.epoch_s);
  if (facts.epoch_s > 0 && after_next > facts.budget) {
    verdict.advice = BudgetAdvice::kEndAfterEpoch;
    verdict.why =
        fmt::format("another epoch would cost more than the budget of {:.4g} $", facts.budget);
    return verdict;
  }
  verdict.advice = BudgetAdvice::kWarn;
  verdict.why = fmt::format("it will likely cost {:.4g} $; the budget is {:.4g} $",
                            *verdict.cost_at_end, facts.budget);
  return verdict;
}

}  // namespace reckon::watch
