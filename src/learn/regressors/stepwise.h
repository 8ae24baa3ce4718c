// Stepwise regression on augmented features.
#pragma once

#include "learn/regressors/linear_technique.h"

namespace reckon::learn {

// Least squares on the terms that Draper and Smith's procedure (1966) leaves in:
// numeric/stepwise.h. Settings: "p_to_add", "p_to_remove", "intercept" (0: the formula goes through
// the origin).
class StepwiseTechnique final : public LinearTechnique {
 public:
  StepwiseTechnique();
  std::string_view name() const override { return "stepwise"; }
  std::string_view summary() const override {
    return "stepwise regression: features come in and go out by p-values";
  }
  // Only when named: alone it forecasts as ridge does.
  bool TakesPart(const Question&) const override { return false; }

 private:
  std::vector<Settings> SettingsToTry() const override;
  base::Result<Solutions> Solve(const Matrix& terms, const Vector& target,
                                const CandidateGroup& group) const override;
};

}  // namespace reckon::learn
