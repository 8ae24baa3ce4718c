// One regression tree.
#pragma once

#include "learn/regressors/technique.h"

namespace reckon::learn {

// CART with the squared-error criterion (Breiman et al. 1984) on raw numbers and levels of
// categories. A split puts rows with feature <= threshold left, the threshold half-way between two
// neighbours; among equal gains the lowest feature, then the lowest threshold wins. Settings:
// "max_depth", "min_leaf" (rows). One tree of the greatest depth serves every smaller one.
class DecisionTreeTechnique final : public Technique {
 public:
  std::string_view name() const override { return "tree"; }
  std::string_view summary() const override { return "one decision tree (squared error)"; }
  std::string_view requirement() const override {
    return "fewer than 5000 features; ask for fewer forms or a lower degree";
  }
  std::vector<CandidateGroup> Candidates(const Dataset& data, const Roles& roles,
                                         const Question& question,
                                         const Restrictions& restrictions) const override;
  base::Result<std::vector<std::unique_ptr<Predictor>>> Fit(
      const FitInput& input, const CandidateGroup& group) const override;
  base::Result<std::unique_ptr<Predictor>> Load(const base::Json& json,
                                                const Schema& schema) const override;
};

// The nodes of a tree grown on `features` (rows x terms): exposed for tests against brute force.
std::vector<TreeNode> GrowTree(const Matrix& features, const Vector& y, int max_depth,
                               int min_leaf);

}  // namespace reckon::learn
