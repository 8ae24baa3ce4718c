// The lasso on augmented features.
#pragma once

#include "learn/regressors/linear_technique.h"

namespace reckon::learn {

// Least squares with an L1 penalty on standardised terms (Tibshirani 1996): most weights are 0, so
// that the formula stays short. Candidates: the feature sets of ridge x penalties, which are shares
// of the target's standard deviation; all penalties of a set share one matrix of correlations.
class LassoTechnique final : public LinearTechnique {
 public:
  LassoTechnique();
  std::string_view name() const override { return "lasso"; }
  std::string_view summary() const override {
    return "lasso: few of the raw, inverse, log and product features";
  }
  // Only when named: alone it forecasts as ridge does, which shares more work among penalties.
  bool TakesPart(const Question&) const override { return false; }

 private:
  std::vector<Settings> SettingsToTry() const override;
  base::Result<Solutions> Solve(const Matrix& terms, const Vector& target,
                                const CandidateGroup& group) const override;
};

}  // namespace reckon::learn
