#include "learn/regressors/random_forest.h"

#include <algorithm>

#include "learn/features/choose_terms.h"
#include "learn/regressors/feature_sets.h"
#include "learn/regressors/tree_settings.h"
#include "learn/trees/ensemble.h"

namespace reckon::learn {
namespace {

std::vector<uint32_t> Bootstrap(size_t rows, base::Rng rng) {
  std::vector<uint32_t> count(rows, 0);
  for (size_t i = 0; i < rows; ++i) ++count[rng.Below(rows)];
  return count;
}

// One forest for candidates that are parts of it.
class Forest {
 public:
  Forest(const BinnedFeatures& binned, const Vector& target) : grower_(binned, target) {}

  base::Status Grow(size_t rows, int trees, const CartOptions& options, const FitInput& input) {
    trees_.clear();
    for (int t = 0; t < trees; ++t) {
      if (input.stop.stop_requested()) {
        return base::Error(base::ErrorCode::kInterrupted, "interrupted");
      }
      const auto stream = static_cast<uint64_t>(t);
      trees_.push_back(grower_.Grow(Bootstrap(rows, input.rng.Fork(2 * stream)), options,
                                    input.rng.Fork(2 * stream + 1)));
    }
    return {};
  }

  // The mean of the first `count` trees, cut to the limits.
  std::unique_ptr<Predictor> Part(const FeatureMap& features, int count,
                                  const CartOptions& options) const {
    std::vector<std::vector<TreeNode>> trees;
    for (size_t t = 0; t < static_cast<size_t>(count); ++t) {
      trees.push_back(CutTree(trees_[t], options.max_depth, options.min_split));
      for (TreeNode& node : trees.back()) node.value /= count;
    }
    return std::make_unique<EnsemblePredictor>(features, 0.0, std::move(trees));
  }

 private:
  CartGrower grower_;
  std::vector<std::vector<TreeNode>> trees_;
};

}  // namespace

std::vector<CandidateGroup> RandomForestTechnique::Candidates(
    const Dataset& data, const Roles&, const Question&, const Restrictions& restrictions) const {
  std::vector<CandidateGroup> groups;
  const std::optional<FeatureOptions> features = TreeFeatures(data, restrictions);
  if (!features) return groups;
  const TargetScale scale = UsualScale(data, restrictions);
  CandidateGroup group;
  for (const char* max_features : {"all", "third"}) {
    for (const int min_leaf : {1, 3}) {
      group.push_back({.technique = std::string(name()),
                       .scale = scale,
                       .features = *features,
                       .settings = {{"trees", 100},
                                    {"max_depth", 20},
                                    {"min_leaf", min_leaf},
                                    {"min_split", 2}},
                       .words = {{"criterion", "mse"}, {"max_features", max_features}}});
    }
  }
  groups.push_back(std::move(group));
  return groups;
}

base::Result<std::vector<std::unique_ptr<Predictor>>> RandomForestTechnique::Fit(
    const FitInput& input, const CandidateGroup& group) const {
  const Candidate& first = group.front();
  const Vector target = ToScale(input.data.y, first.scale);
  RECKON_ASSIGN(const FeatureMap features, ChooseTerms(input.data, target, first.features,
                                                       kMostTreeTerms, input.rng, input.stop));
  const BinnedFeatures binned(features.Apply(input.data.x));
  Forest forest(binned, target);
  std::vector<std::unique_ptr<Predictor>> predictors(group.size());
  const auto tree_count = [&](size_t c) { return static_cast<int>(group[c].settings.at("trees")); };
  for (size_t c = 0; c < group.size(); ++c) {
    if (predictors[c]) continue;
    const std::vector<size_t> served = ServedByOneTree(group, c);
    const CartOptions widest = WidestOptions(group, served, binned.rows(), binned.columns());
    int most = 0;
    for (const size_t d : served) most = std::max(most, tree_count(d));
    RECKON_TRY(forest.Grow(binned.rows(), most, widest, input));
    for (const size_t d : served) {
      predictors[d] = forest.Part(features, tree_count(d),
                                  ToCartOptions(group[d], binned.rows(), binned.columns()));
    }
  }
  return predictors;
}

base::Result<std::unique_ptr<Predictor>> RandomForestTechnique::Load(const base::Json& json,
                                                                     const Schema& schema) const {
  return EnsemblePredictor::Load(json, schema);
}

}  // namespace reckon::learn
