// A fitted law of the library.
#pragma once

#include "learn/laws/scaling_law.h"
#include "learn/regressors/technique.h"

namespace reckon::learn {

class ScalingLawPredictor final : public Predictor {
 public:
  explicit ScalingLawPredictor(ScalingLaw law);

  // Log of the target.
  Vector Predict(const Matrix& x) const override { return law_.LogTime(x); }
  const FeatureMap& features() const override { return features_; }
  Formula ToFormula() const override { return law_; }
  base::Json ToJson(const Schema& schema) const override;

 private:
  ScalingLaw law_;
  FeatureMap features_;  // the columns that must be above 0, as logarithms
};

}  // namespace reckon::learn
