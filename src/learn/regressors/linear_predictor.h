// A weighted sum of terms: what ridge and Ernest's non-negative least squares fit.
#pragma once

#include "learn/regressors/technique.h"

namespace reckon::learn {

class LinearPredictor final : public Predictor {
 public:
  LinearPredictor(FeatureMap features, Vector weights, double intercept);
  static base::Result<std::unique_ptr<Predictor>> Load(const base::Json& json,
                                                       const Schema& schema);

  Vector Predict(const Matrix& x) const override;
  const FeatureMap& features() const override { return features_; }
  Formula ToFormula() const override;
  base::Json ToJson(const Schema& schema) const override;

  const Vector& weights() const { return weights_; }
  double intercept() const { return intercept_; }

 private:
  FeatureMap features_;
  Vector weights_;
  double intercept_;
};

}  // namespace reckon::learn
