// A fitted decision tree.
#pragma once

#include "learn/regressors/technique.h"

namespace reckon::learn {

class TreePredictor final : public Predictor {
 public:
  // Keeps only the features that the nodes use.
  TreePredictor(const FeatureMap& features, std::vector<TreeNode> nodes);
  static base::Result<std::unique_ptr<Predictor>> Load(const base::Json& json,
                                                       const Schema& schema);

  Vector Predict(const Matrix& x) const override;
  const FeatureMap& features() const override { return features_; }
  Formula ToFormula() const override;
  base::Json ToJson(const Schema& schema) const override;

 private:
  FeatureMap features_;
  std::vector<TreeNode> nodes_;
};

}  // namespace reckon::learn
