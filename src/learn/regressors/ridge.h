// Ridge regression on augmented features.
#pragma once

#include "learn/regressors/technique.h"

namespace reckon::learn {

// Least squares with an L2 penalty on standardised terms (Hoerl and Kennard 1970). Candidates: sets
// of feature forms x penalties; all penalties of a set share one decomposition. On the log scale
// with log features this is a power law.
class RidgeTechnique final : public Technique {
 public:
  std::string_view name() const override { return "ridge"; }
  std::string_view summary() const override {
    return "ridge regression on raw, inverse, log and product features";
  }
  std::string_view requirement() const override {
    return "fewer than 600 features; ask for fewer forms or a lower degree";
  }
  std::vector<CandidateGroup> Candidates(const Dataset& data, const Roles& roles,
                                         const Question& question,
                                         const Restrictions& restrictions) const override;
  base::Result<std::vector<std::unique_ptr<Predictor>>> Fit(
      const FitInput& input, const CandidateGroup& group) const override;
  base::Result<std::unique_ptr<Predictor>> Load(const base::Json& json,
                                                const Schema& schema) const override;
};

}  // namespace reckon::learn
