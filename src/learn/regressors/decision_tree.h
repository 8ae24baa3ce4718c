// One regression tree.
#pragma once

#include "learn/regressors/technique.h"

namespace reckon::learn {

// A tree on raw numbers and levels of categories (CartGrower); settings as in tree_settings.h. One
// tree of the greatest depth serves every smaller one.
class DecisionTreeTechnique final : public Technique {
 public:
  std::string_view name() const override { return "tree"; }
  std::string_view summary() const override { return "one decision tree"; }
  std::string_view requirement() const override {
    return "fewer than 5000 features; ask for fewer forms or a lower degree";
  }
  Follows follows() const override { return {.features = true, .degree = true}; }
  std::vector<CandidateGroup> Candidates(const Dataset& data, const Roles& roles,
                                         const Question& question,
                                         const Restrictions& restrictions) const override;
  base::Result<std::vector<std::unique_ptr<Predictor>>> Fit(
      const FitInput& input, const CandidateGroup& group) const override;
  base::Result<std::unique_ptr<Predictor>> Load(const base::Json& json,
                                                const Schema& schema) const override;
};

}  // namespace reckon::learn
