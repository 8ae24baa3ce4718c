#include "learn/regressors/decision_tree.h"

#include <algorithm>
#include <array>

#include "learn/features/choose_terms.h"
#include "learn/regressors/feature_sets.h"
#include "learn/regressors/tree_predictor.h"
#include "learn/regressors/tree_settings.h"
#include "learn/trees/cart.h"

namespace reckon::learn {
namespace {

constexpr std::array<int, 5> kTreeDepths{2, 3, 5, 10, 20};
constexpr std::array<int, 4> kLeaves{1, 2, 5, 10};

}  // namespace

std::vector<CandidateGroup> DecisionTreeTechnique::Candidates(
    const Dataset& data, const Roles&, const Question&, const Restrictions& restrictions) const {
  std::vector<CandidateGroup> groups;
  const std::optional<FeatureOptions> features = TreeFeatures(data, restrictions);
  if (!features) return groups;
  for (const TargetScale scale : PossibleScales(data, restrictions)) {
    CandidateGroup group;
    for (const int min_leaf : kLeaves) {
      if (static_cast<size_t>(2 * min_leaf) > data.rows()) continue;
      for (const int depth : kTreeDepths) {
        group.push_back(
            {.technique = std::string(name()),
             .scale = scale,
             .features = *features,
             .settings = {{"max_depth", depth}, {"min_leaf", min_leaf}, {"min_split", 2}},
             .words = {{"criterion", "mse"}, {"max_features", "all"}}});
      }
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

base::Result<std::vector<std::unique_ptr<Predictor>>> DecisionTreeTechnique::Fit(
    const FitInput& input, const CandidateGroup& group) const {
  const Candidate& first = group.front();
  const Vector target = ToScale(input.data.y, first.scale);
  RECKON_ASSIGN(const FeatureMap features, ChooseTerms(input.data, target, first.features,
                                                       kMostTreeTerms, input.rng, input.stop));
  const BinnedFeatures binned(features.Apply(input.data.x));
  CartGrower grower(binned, target);
  const std::vector<uint32_t> once(binned.rows(), 1);
  std::vector<std::unique_ptr<Predictor>> predictors(group.size());
  for (size_t c = 0; c < group.size(); ++c) {
    if (predictors[c]) continue;
    const std::vector<size_t> served = ServedByOneTree(group, c);
    const CartOptions widest = WidestOptions(group, served, binned.rows(), binned.columns());
    const std::vector<TreeNode> nodes = grower.Grow(once, widest, input.rng);
    for (const size_t d : served) {
      const CartOptions options = ToCartOptions(group[d], binned.rows(), binned.columns());
      predictors[d] = std::make_unique<TreePredictor>(
          features, CutTree(nodes, options.max_depth, options.min_split));
    }
  }
  return predictors;
}

base::Result<std::unique_ptr<Predictor>> DecisionTreeTechnique::Load(const base::Json& json,
                                                                     const Schema& schema) const {
  return TreePredictor::Load(json, schema);
}

}  // namespace reckon::learn
