// Support vector regression.
#pragma once

#include "learn/regressors/technique.h"

namespace reckon::learn {

// Epsilon-insensitive support vector regression (Drucker et al. 1996) by libsvm on standardised
// terms and target. Settings: "gaussian" (0: the linear kernel), "C" and "epsilon" (in standard
// deviations of the target), "gamma_scale" (the Gaussian kernel's gamma times the number of terms:
// 1 is the usual rule 'scale') or "gamma" itself, "most_rows": training is quadratic in the rows,
// so that beyond this many a random part of them is used.
class SvrTechnique final : public Technique {
 public:
  std::string_view name() const override { return "svr"; }
  std::string_view summary() const override {
    return "support vector regression with linear or Gaussian kernel";
  }
  std::string_view requirement() const override {
    return "fewer than 300 features; ask for fewer forms or a lower degree";
  }
  // Only when named: blends gain a few per cent from it and the search takes up to nine times
  // longer.
  bool TakesPart(const Question&) const override { return false; }
  Follows follows() const override { return {.features = true, .degree = true, .select = true}; }
  std::vector<CandidateGroup> Candidates(const Dataset& data, const Roles& roles,
                                         const Question& question,
                                         const Restrictions& restrictions) const override;
  base::Result<std::vector<std::unique_ptr<Predictor>>> Fit(
      const FitInput& input, const CandidateGroup& group) const override;
  base::Result<std::unique_ptr<Predictor>> Load(const base::Json& json,
                                                const Schema& schema) const override;
};

}  // namespace reckon::learn
