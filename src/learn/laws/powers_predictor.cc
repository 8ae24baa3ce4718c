#include "learn/laws/powers_predictor.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace reckon::learn {
void PowerSumInputs(const LawInputs& inputs, bool levels_apart, const Matrix& x, Matrix& terms,
                    Matrix& shared) {
  const Matrix scaling = LawInputs::Apply(inputs.scaling, x);
  const Matrix levels = LawInputs::Apply(inputs.levels, x);
  const Eigen::Index more = levels_apart ? levels.cols() : 0;
  terms.resize(x.rows(), 1 + scaling.cols() + more);
  terms.col(0).setOnes();
  terms.middleCols(1, scaling.cols()) = scaling;
  if (levels_apart) {
    terms.rightCols(more) = levels;
    shared.resize(x.rows(), 0);
  } else {
    shared = levels;
  }
}

PowersPredictor::PowersPredictor(Parts parts) : parts_(std::move(parts)) {
  std::vector<Term> terms;
  for (const LawInput& input : parts_.inputs.scaling) {
    if (input.form == LawInput::Form::kLog) {
      terms.push_back(Term{{{Factor::Form::kLog, input.column, 0}}});
    }
  }
  features_ = FeatureMap(std::move(terms));
  if (parts_.limit) falling_ = FallingLaw(parts_);
}

numeric::PowerSum FallingLaw(const PowersPredictor::Parts& parts) {
  numeric::PowerSum falling = parts.law;
  for (size_t j = 0; j < parts.inputs.scaling.size(); ++j) {
    const LawInput& input = parts.inputs.scaling[j];
    if (input.column != parts.limit->column || input.form != LawInput::Form::kLog) continue;
    const auto at = static_cast<Eigen::Index>(j) + 1;
    for (Eigen::Index k = 0; k < falling.weights.rows(); ++k) {
      if (falling.weights(k, at) <= 0) continue;
      falling.weights(k, 0) += falling.weights(k, at) * std::log(parts.limit->end);
      falling.weights(k, at) = 0;
    }
  }
  return falling;
}

Vector PowersPredictor::Evaluate(const numeric::PowerSum& law, const Matrix& x) const {
  Matrix terms;
  Matrix shared;
  PowerSumInputs(parts_.inputs, parts_.levels_apart, x, terms, shared);
  return law.Evaluate(terms, shared);
}

Vector PowersPredictor::PredictLaw(const Matrix& x) const {
  const numeric::PowerSum& law = parts_.law;
  if (!parts_.limit) return Evaluate(law, x);
  const auto column = static_cast<Eigen::Index>(parts_.limit->column);
  const double end = parts_.limit->end;
  if (x.col(column).maxCoeff() <= end) return Evaluate(law, x);
  Matrix at_end = x;
  Matrix before = x;
  at_end.col(column) = x.col(column).cwiseMin(end);
  before.col(column) = x.col(column).cwiseMin(end * GrowthLimit::kSlopeStep);
  const Vector f = Evaluate(law, x);
  const Vector f_falling = Evaluate(falling_, x);
  const Vector f_end = Evaluate(law, at_end);
  const Vector f_before = Evaluate(law, before);
  Vector limited = f;
  for (Eigen::Index i = 0; i < x.rows(); ++i) {
    if (x(i, column) <= end) continue;
    const double distance = std::log(x(i, column) / end);
    const double slope = (f_end(i) - f_before(i)) / -std::log(GrowthLimit::kSlopeStep);
    const double least = f_end(i) + GrowthLimit::kSteepestFall * distance;
    const double most = f_end(i) + (std::max(slope, 0.0) + GrowthLimit::kExtraGrowth) * distance;
    limited(i) = slope < GrowthLimit::kStillFalls ? std::max(f_falling(i), least)
                                                  : std::clamp(f(i), least, most);
  }
  return limited;
}

Vector PowersPredictor::Predict(const Matrix& x) const {
  const Vector law = PredictLaw(x);
  return parts_.correction ? Vector(law + parts_.correction.Of(x)) : law;
}

Formula PowersPredictor::ToFormula() const {
  return PowersFormula{parts_.inputs, parts_.levels_apart, parts_.law, parts_.limit.has_value(),
                       parts_.correction.Size()};
}

base::Json PowersPredictor::ToJson(const Schema& schema) const {
  base::Json json;
  json["scaling"] = LawInputsToJson(parts_.inputs.scaling, schema);
  json["levels"] = LawInputsToJson(parts_.inputs.levels, schema);
  json["levels_apart"] = parts_.levels_apart;
  json["sharpness"] = parts_.law.sharpness;
  json["terms"] = base::Json::array();
  for (Eigen::Index k = 0; k < parts_.law.weights.rows(); ++k) {
    const auto row = parts_.law.weights.row(k);
    json["terms"].push_back(std::vector<double>(row.begin(), row.end()));
  }
  json["shared"] = std::vector<double>(parts_.law.shared.begin(), parts_.law.shared.end());
  if (parts_.limit) {
    json["limit"]["column"] = schema.inputs[parts_.limit->column].name;
    json["limit"]["end"] = parts_.limit->end;
  }
  AddCorrection(parts_.correction, schema, json);
  return json;
}

base::Result<std::unique_ptr<Predictor>> PowersPredictor::Load(const base::Json& json,
                                                               const Schema& schema) {
  const auto corrupt = [](std::string_view what) {
    return base::Error(base::ErrorCode::kCorrupt, fmt::format("the sum of power laws {}", what));
  };
  const auto numbers = [](const base::Json& list) {
    return list.is_array() && std::all_of(list.begin(), list.end(),
                                          [](const base::Json& cell) { return cell.is_number(); });
  };
  for (const char* key : {"scaling", "levels", "levels_apart", "sharpness", "terms", "shared"}) {
    if (!json.is_object() || !json.contains(key)) return corrupt(fmt::format("has no '{}'", key));
  }
  Parts parts;
  RECKON_ASSIGN(parts.inputs.scaling, LawInputsFromJson(json["scaling"], schema));
  RECKON_ASSIGN(parts.inputs.levels, LawInputsFromJson(json["levels"], schema));
  if (!json["levels_apart"].is_boolean() || !json["sharpness"].is_number() ||
      !(json["sharpness"].get<double>() > 0) || !json["terms"].is_array() ||
      json["terms"].empty() || !numbers(json["shared"])) {
    return corrupt("has fields of another kind");
  }
  parts.levels_apart = json["levels_apart"].get<bool>();
  parts.law.sharpness = json["sharpness"].get<double>();
  const size_t apart = parts.levels_apart ? parts.inputs.levels.size() : 0;
  const size_t width = 1 + parts.inputs.scaling.size() + apart;
  parts.law.weights.resize(static_cast<Eigen::Index>(json["terms"].size()),
                           static_cast<Eigen::Index>(width));
  for (size_t k = 0; k < json["terms"].size(); ++k) {
    const base::Json& term = json["terms"][k];
    if (!numbers(term) || term.size() != width) return corrupt("has a term of another size");
    for (size_t j = 0; j < width; ++j) {
      parts.law.weights(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(j)) =
          term[j].get<double>();
    }
  }
  const auto shared = json["shared"].get<std::vector<double>>();
  if (shared.size() != parts.inputs.levels.size() - apart) {
    return corrupt("has not as many shared weights as levels");
  }
  parts.law.shared =
      Eigen::Map<const Vector>(shared.data(), static_cast<Eigen::Index>(shared.size()));
  if (json.contains("limit")) {
    const base::Json& limit = json["limit"];
    if (!limit.is_object() || !limit.contains("column") || !limit["column"].is_string() ||
        !limit.contains("end") || !limit["end"].is_number() || !(limit["end"].get<double>() > 0)) {
      return corrupt("has a bad limit");
    }
    const auto column = schema.FindInput(limit["column"].get<std::string>());
    if (!column.ok()) return corrupt("limits a column that the model does not have");
    parts.limit = GrowthLimit{*column, limit["end"].get<double>()};
  }
  RECKON_ASSIGN(parts.correction, CorrectionFromJson(json, schema));
  return std::unique_ptr<Predictor>(std::make_unique<PowersPredictor>(std::move(parts)));
}

}  // namespace reckon::learn
