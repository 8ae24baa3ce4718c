// Ridge regression on augmented features.
#pragma once

#include "learn/regressors/linear_technique.h"

namespace reckon::learn {

// Least squares with an L2 penalty on standardised terms (Hoerl and Kennard 1970). Candidates: sets
// of feature forms x penalties; all penalties of a set share one decomposition. On the log scale
// with log features this is a power law.
class RidgeTechnique final : public LinearTechnique {
 public:
  RidgeTechnique();
  std::string_view name() const override { return "ridge"; }
  std::string_view summary() const override {
    return "ridge regression on raw, inverse, log and product features";
  }

 private:
  std::vector<Settings> SettingsToTry() const override;
  base::Result<Solutions> Solve(const Matrix& terms, const Vector& target,
                                const CandidateGroup& group) const override;
};

}  // namespace reckon::learn
