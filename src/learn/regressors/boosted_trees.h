// Gradient-boosted regression trees.
#pragma once

#include "learn/regressors/technique.h"

namespace reckon::learn {

// Boosting with squared error (Friedman 2001) by exact greedy trees, mostly on the log of the
// target. Repeats are one row that counts as many. Settings: "max_depth", "rate", "trees",
// "row_share", "column_share", "min_child_weight", "lambda". One run serves every smaller number of
// trees.
class BoostedTreesTechnique final : public Technique {
 public:
  std::string_view name() const override { return "boost"; }
  std::string_view summary() const override { return "gradient-boosted regression trees"; }
  std::string_view requirement() const override { return "fewer than 5000 features"; }
  Follows follows() const override { return {.features = true, .degree = true}; }
  std::vector<CandidateGroup> Candidates(const Dataset& data, const Roles& roles,
                                         const Question& question,
                                         const Restrictions& restrictions) const override;
  base::Result<std::vector<std::unique_ptr<Predictor>>> Fit(
      const FitInput& input, const CandidateGroup& group) const override;
  base::Result<std::unique_ptr<Predictor>> Load(const base::Json& json,
                                                const Schema& schema) const override;
};

}  // namespace reckon::learn
