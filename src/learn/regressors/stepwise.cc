#include "learn/regressors/stepwise.h"

#include "numeric/stepwise.h"

namespace reckon::learn {

StepwiseTechnique::StepwiseTechnique() : LinearTechnique(600) {}

std::vector<LinearTechnique::Settings> StepwiseTechnique::SettingsToTry() const {
  const numeric::StepwiseOptions usual;
  std::vector<Settings> all;
  for (const double intercept : {1.0, 0.0}) {
    all.push_back({{"p_to_add", usual.p_to_add},
                   {"p_to_remove", usual.p_to_remove},
                   {"intercept", intercept}});
  }
  return all;
}

base::Result<LinearTechnique::Solutions> StepwiseTechnique::Solve(
    const Matrix& terms, const Vector& target, const CandidateGroup& group) const {
  Solutions solutions;
  for (const Candidate& candidate : group) {
    numeric::StepwiseOptions options;
    options.p_to_add = candidate.settings.at("p_to_add");
    options.p_to_remove = candidate.settings.at("p_to_remove");
    options.intercept = candidate.settings.at("intercept") == 1;
    solutions.push_back(numeric::SolveStepwise(terms, target, options));
  }
  return solutions;
}

}  // namespace reckon::learn
