#include "learn/regressors/scaling_law_predictor.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace reckon::learn {

ScalingLawPredictor::ScalingLawPredictor(ScalingLaw law) : law_(std::move(law)) {
  std::vector<Term> terms;
  const auto add = [&terms](size_t column) {
    const Term term{{{Factor::Form::kLog, column, 0}}};
    if (std::find(terms.begin(), terms.end(), term) == terms.end()) terms.push_back(term);
  };
  for (const LawTerm& term : law_.terms) {
    if (term.coefficient == 0) continue;
    for (const LawFactor& factor : term.factors) add(factor.column);
  }
  for (const LawInput& input : law_.inputs) {
    if (input.form == LawInput::Form::kLog) add(input.column);
  }
  features_ = FeatureMap(std::move(terms));
}

base::Json ScalingLawPredictor::ToJson(const Schema& schema) const {
  return ScalingLawToJson(law_, schema);
}

}  // namespace reckon::learn
