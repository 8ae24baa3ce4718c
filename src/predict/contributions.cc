#include "predict/contributions.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "base/units.h"
#include "learn/regressors/law_predictor.h"

namespace reckon::predict {
namespace {

// The terms of the bracket, each scaled as the law scales it.
std::vector<core::Contribution> LawParts(const learn::PowerLawFormula& law,
                                         const learn::Schema& schema,
                                         const Eigen::Ref<const Eigen::RowVectorXd>& x) {
  const double scaling = learn::LawScaling(law, x);
  std::vector<core::Contribution> parts{{"constant", law.constant}};
  if (law.base != 0) parts.push_back({"base", law.base * scaling});
  for (const auto& term : law.intrinsic) {
    if (term.factor == 0) continue;
    const double power = std::pow(x(static_cast<Eigen::Index>(term.column)), term.power);
    parts.push_back(
        {fmt::format("{}^{}", schema.inputs[term.column].name, base::FormatNumber(term.power)),
         term.factor * power * scaling});
  }
  for (const auto& levels : law.levels) {
    const learn::InputColumn& input = schema.inputs[levels.column];
    const double code = x(static_cast<Eigen::Index>(levels.column));
    const std::string level = code < 0 ? "another" : input.levels[static_cast<size_t>(code)];
    const double amount = learn::LevelConstant(levels, code) * scaling;
    if (amount != 0) parts.push_back({fmt::format("[{}={}]", input.name, level), amount});
  }
  return parts;
}

}  // namespace

std::vector<core::Contribution> Contributions(const learn::Model& model,
                                              const Eigen::Ref<const Eigen::RowVectorXd>& x) {
  std::vector<core::Contribution> parts;
  const learn::Formula formula = model.fitted.predictor->ToFormula();
  if (const auto* law = std::get_if<learn::PowerLawFormula>(&formula)) {
    parts = LawParts(*law, model.schema, x);
  } else if (const auto* linear = std::get_if<learn::LinearFormula>(&formula)) {
    const numeric::Matrix row = x;
    const numeric::Matrix values = learn::FeatureMap(linear->terms).Apply(row);
    parts.push_back({"constant", linear->intercept});
    for (size_t i = 0; i < linear->terms.size(); ++i) {
      const double amount = linear->weights[i] * values(0, static_cast<Eigen::Index>(i));
      if (amount == 0) continue;
      parts.push_back({learn::TermName(linear->terms[i], model.schema), amount});
    }
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const core::Contribution& a, const core::Contribution& b) {
                     return std::fabs(a.amount) > std::fabs(b.amount);
                   });
  return parts;
}

}  // namespace reckon::predict
