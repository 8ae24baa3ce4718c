// Gaussian process regression.
#pragma once

#include "learn/regressors/technique.h"

namespace reckon::learn {

// A smooth surface through the training rows, on the log of the target where it is above 0
// (Rasmussen and Williams 2006): a Matern 5/2 kernel with one length scale an input plus a straight
// line, parameters by marginal likelihood on at most 200 configurations. Repeats are one row with
// less noise. The solution is cubic in the rows, so at most "most_rows" configurations, drawn at
// random, are used. Far from the data what is left is the straight line: takes part for questions
// inside the measured range.
class GaussianProcessTechnique final : public Technique {
 public:
  std::string_view name() const override { return "gp"; }
  std::string_view summary() const override {
    return "Gaussian process with one length scale an input, on raw and log features";
  }
  std::string_view requirement() const override {
    return "fewer than 100 features; ask for fewer forms or a lower degree";
  }
  bool TakesPart(const Question& question) const override { return !question.extrapolate; }
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
