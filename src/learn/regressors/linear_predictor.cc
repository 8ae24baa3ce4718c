#include "learn/regressors/linear_predictor.h"

#include <nlohmann/json.hpp>

#include "base/check.h"

namespace reckon::learn {

LinearPredictor::LinearPredictor(FeatureMap features, Vector weights, double intercept)
    : features_(std::move(features)), weights_(std::move(weights)), intercept_(intercept) {
  RECKON_CHECK(features_.terms().size() == static_cast<size_t>(weights_.size()));
}

std::unique_ptr<Predictor> LinearPredictor::WithoutZeros(const FeatureMap& features,
                                                         const Vector& weights, double intercept) {
  std::vector<Term> terms;
  std::vector<double> kept;
  for (size_t t = 0; t < features.terms().size(); ++t) {
    const double weight = weights(static_cast<Eigen::Index>(t));
    if (weight == 0) continue;
    terms.push_back(features.terms()[t]);
    kept.push_back(weight);
  }
  return std::make_unique<LinearPredictor>(
      FeatureMap(std::move(terms)),
      Eigen::Map<const Vector>(kept.data(), static_cast<Eigen::Index>(kept.size())), intercept);
}

Vector LinearPredictor::Predict(const Matrix& x) const {
  return (features_.Apply(x) * weights_).array() + intercept_;
}

Formula LinearPredictor::ToFormula() const {
  return LinearFormula{intercept_, features_.terms(), {weights_.begin(), weights_.end()}};
}

base::Json LinearPredictor::ToJson(const Schema& schema) const {
  base::Json json;
  json["intercept"] = intercept_;
  json["weights"] = std::vector<double>(weights_.begin(), weights_.end());
  json["features"] = features_.ToJson(schema);
  return json;
}

base::Result<std::unique_ptr<Predictor>> LinearPredictor::Load(const base::Json& json,
                                                               const Schema& schema) {
  const auto corrupt = [](const char* message) {
    return base::Error(base::ErrorCode::kCorrupt, message);
  };
  if (!json.is_object() || !json.contains("intercept") || !json["intercept"].is_number()) {
    return corrupt("'intercept' is not a number");
  }
  if (!json.contains("weights") || !json["weights"].is_array() || !json.contains("features")) {
    return corrupt("'weights' or 'features' is not a list");
  }
  RECKON_ASSIGN(FeatureMap features, FeatureMap::FromJson(json["features"], schema));
  if (json["weights"].size() != features.terms().size()) {
    return corrupt("there are not as many weights as features");
  }
  Vector weights(static_cast<Eigen::Index>(features.terms().size()));
  for (Eigen::Index i = 0; i < weights.size(); ++i) {
    const base::Json& weight = json["weights"][static_cast<size_t>(i)];
    if (!weight.is_number()) return corrupt("a weight is not a number");
    weights(i) = weight.get<double>();
  }
  return std::unique_ptr<Predictor>(std::make_unique<LinearPredictor>(
      std::move(features), std::move(weights), json["intercept"].get<double>()));
}

}  // namespace reckon::learn
