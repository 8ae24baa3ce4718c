// Non-negative least squares on augmented features.
#pragma once

#include "learn/regressors/linear_technique.h"

namespace reckon::learn {

// Every term can only add time: weights are >= 0. Settings: "intercept" (1: a constant of any sign
// beside them; 0: none). On the linear scale, unless the log scale is asked for.
class NnlsTechnique final : public LinearTechnique {
 public:
  NnlsTechnique();
  std::string_view name() const override { return "nnls"; }
  std::string_view summary() const override {
    return "non-negative least squares on raw, inverse, log and product features";
  }
  // Only when named: few tables are sums of rising terms, and for those that are Ernest's law is
  // there.
  bool TakesPart(const Question&) const override { return false; }

 private:
  std::vector<Settings> SettingsToTry() const override;
  bool Suits(TargetScale scale) const override { return scale == TargetScale::kLinear; }
  base::Result<Solutions> Solve(const Matrix& terms, const Vector& target,
                                const CandidateGroup& group) const override;
};

}  // namespace reckon::learn
