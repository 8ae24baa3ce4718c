// A fitted law of the library, and what corrects it.
#pragma once

#include "learn/laws/law_correction.h"
#include "learn/laws/scaling_law.h"
#include "learn/regressors/technique.h"

namespace reckon::learn {

class ScalingLawPredictor final : public Predictor {
 public:
  explicit ScalingLawPredictor(ScalingLaw law, LawCorrection correction = {});

  // Log of the target.
  Vector Predict(const Matrix& x) const override;
  const FeatureMap& features() const override { return features_; }
  Formula ToFormula() const override { return ScalingLawFormula{law_, correction_.Size()}; }
  base::Json ToJson(const Schema& schema) const override;
  const ScalingLaw& law() const { return law_; }
  const LawCorrection& correction() const { return correction_; }

 private:
  ScalingLaw law_;
  LawCorrection correction_;
  FeatureMap features_;  // the columns that must be above 0, as logarithms
};

}  // namespace reckon::learn
