// A fitted generic law.
#pragma once

#include <string>

#include "learn/regressors/technique.h"

namespace reckon::learn {

class LawPredictor final : public Predictor {
 public:
  explicit LawPredictor(PowerLawFormula law);
  static base::Result<std::unique_ptr<Predictor>> Load(const base::Json& json,
                                                       const Schema& schema);

  Vector Predict(const Matrix& x) const override;
  const FeatureMap& features() const override { return features_; }
  Formula ToFormula() const override { return law_; }
  base::Json ToJson(const Schema& schema) const override;

  const PowerLawFormula& law() const { return law_; }

 private:
  PowerLawFormula law_;
  FeatureMap features_;  // the columns that powers are taken of, as logarithms
};

// What the law multiplies its bracket by, for one row of inputs.
double LawScaling(const PowerLawFormula& law, const Eigen::Ref<const Eigen::RowVectorXd>& x);
// The constant of a row's level; that of the other levels for one never seen.
double LevelConstant(const PowerLawFormula::Levels& levels, double code);

struct LawParameter {
  std::string name;  // "factor of filters", "power of gpus", "[padding=same]", "constant"
  double value = 0;
};

// Every parameter: base (if there is one), factors and powers, levels, scaling powers, constant.
std::vector<LawParameter> LawParameters(const PowerLawFormula& law, const Schema& schema);

}  // namespace reckon::learn
