// Stepwise regression on augmented features.
#pragma once

#include "learn/regressors/technique.h"

namespace reckon::learn {

// Least squares on the terms that Draper and Smith's procedure (1966) leaves in:
// numeric/stepwise.h. Settings: "p_to_add", "p_to_remove", "intercept" (0: the formula goes through
// the origin).
class StepwiseTechnique final : public Technique {
 public:
  std::string_view name() const override { return "stepwise"; }
  std::string_view summary() const override {
    return "stepwise regression: features come in and go out by p-values";
  }
  std::string_view requirement() const override {
    return "fewer than 600 features; ask for fewer forms or a lower degree";
  }
  // Only when named: alone it forecasts as ridge does.
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
