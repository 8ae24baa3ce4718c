// XGBoost's regression, by our own growing of its trees.
#pragma once

#include "learn/regressors/technique.h"

namespace reckon::learn {

// Gradient boosting as XGBoost 1.7 does it with tree_method=exact and reg:squarederror: it starts
// at 0.5, every tree sees every row and column. Settings by its names, with "trees" for
// n_estimators and "rate" for learning_rate. Small data is what it is for: exact splits, many runs
// at once.
class XgboostTechnique final : public Technique {
 public:
  std::string_view name() const override { return "xgboost"; }
  std::string_view summary() const override { return "boosted trees with XGBoost's parameters"; }
  std::string_view requirement() const override {
    return "fewer than 5000 features; ask for fewer forms or a lower degree";
  }
  bool TakesPart(const Question&) const override { return false; }
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
