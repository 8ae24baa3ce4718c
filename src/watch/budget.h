// Whether a run keeps to its budget, and what to do when it does not.
#pragma once

#include <optional>
#include <string>

namespace reckon::watch {

// Dollars and seconds.
struct BudgetFacts {
  double budget = 0;
  double spent = 0;
  double per_second = 0;  // that it costs now
  // What is left to do; nothing: nobody knows yet.
  std::optional<double> remaining_s = {};
  double epoch_s = 0;       // of an epoch; 0: unknown
  double epoch_left_s = 0;  // of the one that it is in
};

enum class BudgetAdvice {
  kGoOn,
  kWarn,           // it will likely cost more
  kEndAfterEpoch,  // another epoch after this one would cost more than there is
  kStop,           // all of it is spent
};

struct BudgetVerdict {
  BudgetAdvice advice = BudgetAdvice::kGoOn;
  std::string why;                    // in words; empty: it goes on
  std::optional<double> cost_at_end;  // as it looks now
};

BudgetVerdict JudgeBudget(const BudgetFacts& facts);

}  // namespace reckon::watch
