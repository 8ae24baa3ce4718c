// A sum of trees: what boosting and forests are when they are fitted.
#pragma once

#include <vector>

#include "learn/regressors/technique.h"
#include "learn/trees/flat_trees.h"

namespace reckon::learn {

class EnsemblePredictor final : public Predictor {
 public:
  // base + the sum of the trees' values. Keeps only the features that the trees use.
  EnsemblePredictor(const FeatureMap& features, double base,
                    std::vector<std::vector<TreeNode>> trees);
  static base::Result<std::unique_ptr<Predictor>> Load(const base::Json& json,
                                                       const Schema& schema);

  Vector Predict(const Matrix& x) const override;
  const FeatureMap& features() const override { return features_; }
  Formula ToFormula() const override;
  base::Json ToJson(const Schema& schema) const override;
  size_t tree_count() const { return trees_.size(); }

 private:
  FeatureMap features_;
  double base_;
  std::vector<std::vector<TreeNode>> trees_;
  FlatTrees flat_;
};

}  // namespace reckon::learn
