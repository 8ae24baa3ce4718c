// The lasso on augmented features.
#pragma once

#include "learn/regressors/technique.h"

namespace reckon::learn {

// Least squares with an L1 penalty on standardised terms (Tibshirani 1996): most weights are 0, so
// that the formula stays short. Candidates: the feature sets of ridge x penalties, which are shares
// of the target's standard deviation; all penalties of a set share one matrix of correlations.
class LassoTechnique final : public Technique {
 public:
  std::string_view name() const override { return "lasso"; }
  std::string_view summary() const override {
    return "lasso: few of the raw, inverse, log and product features";
  }
  std::string_view requirement() const override {
    return "fewer than 600 features; ask for fewer forms or a lower degree";
  }
  // Only when named: alone it forecasts as ridge does, which shares more work among penalties.
  bool TakesPart(const Question&) const override { return false; }
  std::vector<CandidateGroup> Candidates(const Dataset& data, const Roles& roles,
                                         const Question& question,
                                         const Restrictions& restrictions) const override;
  base::Result<std::vector<std::unique_ptr<Predictor>>> Fit(
      const FitInput& input, const CandidateGroup& group) const override;
  base::Result<std::unique_ptr<Predictor>> Load(const base::Json& json,
                                                const Schema& schema) const override;
};

}  // namespace reckon::learn
