// The cheapest configuration of a job that has no model yet: which one to try next, when to stop,
// and which one to recommend. Bayesian optimisation on a law (belief.h).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/table.h"
#include "decide/recommend/belief.h"

namespace reckon::decide {

struct SearchOptions {
  uint64_t seed = 1;
  // How often the job will run with what is recommended: a trial is worth its price when it is
  // expected to save more than that over all these runs.
  double runs = 1000;
};

struct NextTrial {
  size_t row = 0;
  double expected_cost = 0;  // of the trial
  double expected_gain = 0;  // of a run, for a cheaper configuration; 0 among the first trials
};

// Why there is no next trial.
enum class SearchEnd {
  kAllTried,   // or excluded
  kBudget,     // none fits into what is left
  kNotWorthIt  // the next is expected to save less than it costs
};
const char* Describe(SearchEnd end);

struct Recommended {
  size_t row = 0;
  double expected_cost = 0;  // of a run
  double expected_s = 0;
  double success = 1;  // probability that it reaches its goal
  bool tried = false;
  bool hope = false;  // nothing that was tried has reached its goal: this has the best chance
};

// Not thread-safe. The same arguments give the same answers.
class ConfigurationSearch {
 public:
  // `configurations`: inputs alone, a row each; `price_per_hour` of each, > 0.
  ConfigurationSearch(const core::Table& configurations, std::vector<double> price_per_hour,
                      SearchOptions options);

  // `excluded`: rows that can no longer be tried, though nothing is known of them.
  // nullopt: everything was tried, costs more than `budget`, or is not worth its price any more;
  // `why` tells which. Before anything was tried nobody knows what a trial costs.
  base::Result<std::optional<NextTrial>> Next(const std::vector<Trial>& tried,
                                              std::optional<double> budget = {},
                                              const std::vector<size_t>& excluded = {},
                                              SearchEnd* why = nullptr) const;
  // Needs at least one trial. What has failed is not recommended, unless everything has.
  base::Result<Recommended> Recommend(const std::vector<Trial>& tried) const;

  double CostOf(const Trial& trial) const { return Cost(trial.row, trial.seconds); }

 private:
  double Cost(size_t row, double seconds) const { return price_[row] * seconds / 3600; }
  // `is_tried`: also what is excluded. nullopt: none should cost at most `budget`.
  std::optional<size_t> FirstTrial(const std::vector<Trial>& tried,
                                   const std::vector<bool>& is_tried,
                                   std::optional<double> budget) const;

  Believer believer_;
  std::vector<double> price_;
  SearchOptions options_;
};

}  // namespace reckon::decide
