// Sums of power laws, alone or with boosted trees for what they leave over.
#pragma once

#include "learn/regressors/technique.h"

namespace reckon::learn {

// log y = (1/p) log sum_k exp(p w_k . z), z the logarithms of the columns, levels and thresholds
// (learn/laws/law_inputs.h, numeric/power_sum.h). Settings: "terms", "sharpness" (p), "apart" (each
// term has its own weights for levels), "recency" (rows near the end of the extrapolated column
// count more, by this power), "penalty" (on powers that differ from what is usual), "trees" (0: the
// law alone).
class PowersTechnique final : public Technique {
 public:
  std::string_view name() const override { return "powers"; }
  std::string_view summary() const override {
    return "a sum of power laws, alone or with trees for what it leaves over";
  }
  std::string_view requirement() const override {
    return "a target above 0, the log scale, and at most 200 inputs and levels";
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
