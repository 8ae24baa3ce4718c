// A weighted sum of terms: what ridge, the lasso and their like fit.
#pragma once

#include "learn/regressors/technique.h"

namespace reckon::learn {

class LinearPredictor final : public Predictor {
 public:
  LinearPredictor(FeatureMap features, Vector weights, double intercept);
  // Of the terms whose weight is not 0: nobody needs to measure a column that does not count.
  static std::unique_ptr<Predictor> WithoutZeros(const FeatureMap& features, const Vector& weights,
                                                 double intercept);
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
