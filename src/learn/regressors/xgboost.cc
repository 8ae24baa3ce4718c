#include "learn/regressors/xgboost.h"

#include <algorithm>

#include "learn/features/choose_terms.h"
#include "learn/regressors/feature_sets.h"
#include "learn/repeats.h"
#include "learn/trees/boosting.h"
#include "learn/trees/ensemble.h"

namespace reckon::learn {
namespace {

constexpr double kStart = 0.5;  // XGBoost's base_score

BoostingOptions ToOptions(const Candidate& candidate) {
  const auto& settings = candidate.settings;
  BoostingOptions options;
  options.start = kStart;
  options.floats = true;
  options.trees = static_cast<int>(settings.at("trees"));
  options.rate = settings.at("rate");
  options.tree.max_depth = static_cast<int>(settings.at("max_depth"));
  options.tree.min_child_weight = settings.at("min_child_weight");
  options.tree.gamma = settings.at("gamma");
  options.tree.lambda = settings.at("lambda");
  return options;
}

// Whether one is the beginning of the other.
bool SameRun(const Candidate& a, const Candidate& b) {
  std::map<std::string, double> settings = a.settings;
  settings["trees"] = b.settings.at("trees");
  return settings == b.settings;
}

}  // namespace

std::vector<CandidateGroup> XgboostTechnique::Candidates(const Dataset& data, const Roles&,
                                                         const Question&,
                                                         const Restrictions& restrictions) const {
  std::vector<CandidateGroup> groups;
  const std::optional<FeatureOptions> features = TreeFeatures(data, restrictions);
  if (!features) return groups;
  for (const TargetScale scale : PossibleScales(data, restrictions)) {
    for (const int depth : {3, 6}) {
      CandidateGroup group;
      for (const double rate : {0.05, 0.1, 0.3}) {
        for (const int trees : {100, 300}) {
          group.push_back({.technique = std::string(name()),
                           .scale = scale,
                           .features = *features,
                           .settings = {{"max_depth", depth},
                                        {"trees", trees},
                                        {"rate", rate},
                                        {"min_child_weight", 1},
                                        {"gamma", 0},
                                        {"lambda", 1}}});
        }
      }
      groups.push_back(std::move(group));
    }
  }
  return groups;
}

base::Result<std::vector<std::unique_ptr<Predictor>>> XgboostTechnique::Fit(
    const FitInput& input, const CandidateGroup& group) const {
  const Candidate& first = group.front();
  const Vector target = ToScale(input.data.y, first.scale);
  RECKON_ASSIGN(const FeatureMap features, ChooseTerms(input.data, target, first.features,
                                                       kMostTreeTerms, input.rng, input.stop));
  // Equal rows always fall into one leaf, where their mean counts as often as there are rows.
  const Configurations rows = CollapseRepeats(input.data.x, target, Middle::kMean);
  const BinnedFeatures binned(features.Apply(rows.x));
  std::vector<std::unique_ptr<Predictor>> predictors(group.size());
  for (size_t c = 0; c < group.size(); ++c) {
    if (predictors[c]) continue;
    if (input.stop.stop_requested()) {
      return base::Error(base::ErrorCode::kInterrupted, "interrupted");
    }
    std::vector<size_t> served;
    BoostingOptions options = ToOptions(group[c]);
    for (size_t d = c; d < group.size(); ++d) {
      if (!SameRun(group[c], group[d])) continue;
      served.push_back(d);
      options.trees = std::max(options.trees, ToOptions(group[d]).trees);
    }
    const Boosted boosted = Boost(binned, rows.target, rows.count, options, input.rng);
    for (const size_t d : served) {
      const auto count = static_cast<ptrdiff_t>(ToOptions(group[d]).trees);
      predictors[d] = std::make_unique<EnsemblePredictor>(
          features, boosted.base,
          std::vector(boosted.trees.begin(), boosted.trees.begin() + count));
    }
  }
  return predictors;
}

base::Result<std::unique_ptr<Predictor>> XgboostTechnique::Load(const base::Json& json,
                                                                const Schema& schema) const {
  return EnsemblePredictor::Load(json, schema);
}

}  // namespace reckon::learn
