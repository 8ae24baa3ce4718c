// Forests of trees.
#pragma once

#include "learn/regressors/technique.h"

namespace reckon::learn {

// The mean of trees, each grown on a bootstrap sample (Breiman 2001); settings as in
// tree_settings.h, and "trees". The first n trees serve a smaller forest, and a tree of the
// greatest depth every smaller one.
class RandomForestTechnique final : public Technique {
 public:
  std::string_view name() const override { return "forest"; }
  std::string_view summary() const override { return "a random forest"; }
  std::string_view requirement() const override {
    return "fewer than 5000 features; ask for fewer forms or a lower degree";
  }
  // Boosting wins inside the range on nearly all data, and a forest's trees are fifty times larger.
  bool TakesPart(const Question&) const override { return false; }
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
