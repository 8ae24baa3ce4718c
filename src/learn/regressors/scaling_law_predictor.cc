#include "learn/regressors/scaling_law_predictor.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace reckon::learn {

ScalingLawPredictor::ScalingLawPredictor(ScalingLaw law, LawCorrection correction)
    : law_(std::move(law)), correction_(std::move(correction)) {
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

Vector ScalingLawPredictor::Predict(const Matrix& x) const {
  return correction_ ? Vector(law_.LogTime(x) + correction_.Of(x)) : law_.LogTime(x);
}

base::Json ScalingLawPredictor::ToJson(const Schema& schema) const {
  base::Json json = ScalingLawToJson(law_, schema);
  AddCorrection(correction_, schema, json);
  return json;
}

}  // namespace reckon::learn
