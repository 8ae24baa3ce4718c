#include "learn/regressors/boosted_trees.h"

#include <algorithm>
#include <array>

#include "learn/regressors/feature_sets.h"
#include "learn/repeats.h"
#include "learn/trees/boosting.h"
#include "learn/trees/ensemble.h"

namespace reckon::learn {
namespace {

constexpr std::array<int, 3> kDepths{3, 5, 8};
constexpr std::array<int, 4> kTrees{60, 150, 300, 600};

BoostingOptions ToOptions(const Candidate& candidate) {
  const auto& settings = candidate.settings;
  BoostingOptions options;
  options.trees = static_cast<int>(settings.at("trees"));
  options.rate = settings.at("rate");
  options.row_share = settings.at("row_share");
  options.column_share = settings.at("column_share");
  options.tree.max_depth = static_cast<int>(settings.at("max_depth"));
  options.tree.min_child_weight = settings.at("min_child_weight");
  options.tree.lambda = settings.at("lambda");
  return options;
}

}  // namespace

std::vector<CandidateGroup> BoostedTreesTechnique::Candidates(
    const Dataset& data, const Roles&, const Question&, const Restrictions& restrictions) const {
  std::vector<CandidateGroup> groups;
  const std::optional<FeatureOptions> features = TreeFeatures(data, restrictions);
  if (!features) return groups;
  const TargetScale scale = UsualScale(data, restrictions);
  for (const int depth : kDepths) {
    CandidateGroup group;
    for (const int trees : kTrees) {
      group.push_back({.technique = std::string(name()),
                       .scale = scale,
                       .features = *features,
                       .settings = {{"max_depth", depth},
                                    {"trees", trees},
                                    {"rate", 0.08},
                                    {"row_share", 0.8},
                                    {"column_share", 0.8},
                                    {"min_child_weight", 1},
                                    {"lambda", 1}}});
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

base::Result<std::vector<std::unique_ptr<Predictor>>> BoostedTreesTechnique::Fit(
    const FitInput& input, const CandidateGroup& group) const {
  const Candidate& first = group.front();
  const std::optional<FeatureMap> features =
      MakeFeatures(input.data, first.features, kMostTreeTerms);
  if (!features) {
    return base::Error(base::ErrorCode::kFailed, "too many product features for boosted trees");
  }
  BoostingOptions options = ToOptions(first);
  for (const Candidate& candidate : group) {
    options.trees = std::max(options.trees, static_cast<int>(candidate.settings.at("trees")));
  }
  const Configurations rows =
      CollapseRepeats(input.data.x, ToScale(input.data.y, first.scale), Middle::kMean);
  const BinnedFeatures binned(features->Apply(rows.x));
  const Boosted boosted = Boost(binned, rows.target, rows.count, options, input.rng);
  std::vector<std::unique_ptr<Predictor>> predictors;
  for (const Candidate& candidate : group) {
    const auto count = static_cast<ptrdiff_t>(candidate.settings.at("trees"));
    predictors.push_back(std::make_unique<EnsemblePredictor>(
        *features, boosted.base,
        std::vector(boosted.trees.begin(), boosted.trees.begin() + count)));
  }
  return predictors;
}

base::Result<std::unique_ptr<Predictor>> BoostedTreesTechnique::Load(const base::Json& json,
                                                                     const Schema& schema) const {
  return EnsemblePredictor::Load(json, schema);
}

}  // namespace reckon::learn
