#include "learn/regressors/lasso.h"

#include <cmath>

#include "numeric/lasso_path.h"

namespace reckon::learn {

LassoTechnique::LassoTechnique() : LinearTechnique(600) {}

std::vector<LinearTechnique::Settings> LassoTechnique::SettingsToTry() const {
  std::vector<Settings> all;
  for (const double alpha : {1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1}) {
    all.push_back({{"alpha", alpha}});
  }
  return all;
}

base::Result<LinearTechnique::Solutions> LassoTechnique::Solve(const Matrix& terms,
                                                               const Vector& target,
                                                               const CandidateGroup& group) const {
  std::vector<double> alphas;
  for (const Candidate& candidate : group) {
    double alpha = candidate.settings.at("alpha");
    if (candidate.settings.contains("in_target_unit")) {
      alpha /= std::sqrt((target.array() - target.mean()).square().mean());
    }
    alphas.push_back(alpha);
    if (!(alphas.back() > 0)) {
      return base::Error(base::ErrorCode::kFailed, "the lasso needs a penalty above 0");
    }
  }
  return numeric::LassoPath(terms, target).Solve(alphas);
}

}  // namespace reckon::learn
