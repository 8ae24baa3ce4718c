#include "learn/regressors/nnls.h"

#include "numeric/nnls.h"

namespace reckon::learn {

NnlsTechnique::NnlsTechnique() : LinearTechnique(300) {}

std::vector<LinearTechnique::Settings> NnlsTechnique::SettingsToTry() const {
  return {{{"intercept", 1}}, {{"intercept", 0}}};
}

base::Result<LinearTechnique::Solutions> NnlsTechnique::Solve(const Matrix& terms,
                                                              const Vector& target,
                                                              const CandidateGroup& group) const {
  Solutions solutions;
  for (const Candidate& candidate : group) {
    // An intercept of any sign: what is left after taking means away from both sides.
    const double centred = candidate.settings.at("intercept") == 1 ? 1 : 0;
    const Vector means = centred * terms.colwise().mean().transpose();
    const double middle = centred * target.mean();
    RECKON_ASSIGN(Vector weights, numeric::SolveNnls(terms.rowwise() - means.transpose(),
                                                     (target.array() - middle).matrix()));
    const double intercept = middle - weights.dot(means);
    solutions.push_back({std::move(weights), intercept});
  }
  return solutions;
}

}  // namespace reckon::learn
