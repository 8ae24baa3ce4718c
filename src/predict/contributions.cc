#include "predict/contributions.h"

#include <algorithm>
#include <cmath>

namespace reckon::predict {

std::vector<core::Contribution> Contributions(const learn::Model& model,
                                              const Eigen::Ref<const Eigen::RowVectorXd>& x) {
  std::vector<core::Contribution> parts;
  const learn::Formula formula = model.fitted.predictor->ToFormula();
  const auto* linear = std::get_if<learn::LinearFormula>(&formula);
  if (linear == nullptr) return parts;
  const numeric::Matrix row = x;
  const numeric::Matrix values = learn::FeatureMap(linear->terms).Apply(row);
  parts.push_back({"constant", linear->intercept});
  for (size_t i = 0; i < linear->terms.size(); ++i) {
    const double amount = linear->weights[i] * values(0, static_cast<Eigen::Index>(i));
    if (amount == 0) continue;
    parts.push_back({learn::TermName(linear->terms[i], model.schema), amount});
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const core::Contribution& a, const core::Contribution& b) {
                     return std::fabs(a.amount) > std::fabs(b.amount);
                   });
  return parts;
}

}  // namespace reckon::predict
