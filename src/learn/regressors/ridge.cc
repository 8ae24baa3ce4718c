#include "learn/regressors/ridge.h"

namespace reckon::learn {

// The decomposition is cubic in the number of terms.
RidgeTechnique::RidgeTechnique() : LinearTechnique(600) {}

std::vector<LinearTechnique::Settings> RidgeTechnique::SettingsToTry() const {
  std::vector<Settings> all;
  for (const double alpha : {1e-6, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0}) {
    all.push_back({{"alpha", alpha}});
  }
  return all;
}

base::Result<LinearTechnique::Solutions> RidgeTechnique::Solve(const Matrix& terms,
                                                               const Vector& target,
                                                               const CandidateGroup& group) const {
  const numeric::RidgePath path(terms, target);
  Solutions solutions;
  for (const Candidate& candidate : group) {
    solutions.push_back(path.Solve(candidate.settings.at("alpha")));
  }
  return solutions;
}

}  // namespace reckon::learn
