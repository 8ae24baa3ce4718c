// Non-negative least squares on augmented features.
#pragma once

#include "learn/regressors/technique.h"

namespace reckon::learn {

// Every term can only add time: weights are >= 0. Settings: "intercept" (1: a constant of any sign
// beside them; 0: none). On the linear scale, unless the log scale is asked for.
class NnlsTechnique final : public Technique {
 public:
  std::string_view name() const override { return "nnls"; }
  std::string_view summary() const override {
    return "non-negative least squares on raw, inverse, log and product features";
  }
  std::string_view requirement() const override {
    return "fewer than 300 features; ask for fewer forms or a lower degree";
  }
  // Only when named: few tables are sums of rising terms, and for those that are Ernest's law is
  // there.
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
