#include "learn/regressors/ridge.h"

#include <algorithm>
#include <array>

#include "learn/regressors/linear_predictor.h"
#include "numeric/ridge_path.h"

namespace reckon::learn {
namespace {

constexpr std::array<double, 7> kAlphas{1e-6, 1e-4, 1e-3, 1e-2, 0.1, 1, 10};

// The decomposition is cubic in the number of terms; beyond this, products are not tried.
constexpr size_t kMostTerms = 600;

struct FeatureSet {
  TargetScale scale;
  FeatureOptions features;
};

std::vector<FeatureSet> FeatureSets(const Question& question, const Restrictions& fixed,
                                    bool positive) {
  std::vector<FeatureSet> sets;
  const auto add = [&](TargetScale scale, FeatureOptions features) {
    if (scale == TargetScale::kLog && !positive) return;
    if (fixed.scale && *fixed.scale != scale) return;
    if (fixed.degree) features.degree = *fixed.degree;
    const bool known = std::any_of(sets.begin(), sets.end(), [&](const FeatureSet& set) {
      return set.scale == scale && set.features == features;
    });
    if (!known) sets.push_back({scale, features});
  };
  if (fixed.features) {
    add(TargetScale::kLinear, *fixed.features);
    add(TargetScale::kLog, *fixed.features);
    return sets;
  }
  add(TargetScale::kLinear, {.raw = true});
  add(TargetScale::kLinear, {.raw = true, .inverse = true, .log = true});
  add(TargetScale::kLog, {.raw = false, .log = true});
  add(TargetScale::kLog, {.raw = false, .inverse = true, .log = true});
  // Products, and raw columns in the exponent, win inside the measured range and explode outside.
  if (!question.extrapolate) {
    add(TargetScale::kLog, {.raw = true, .inverse = true, .log = true});
    add(TargetScale::kLinear, {.raw = true, .inverse = true, .log = true, .degree = 2});
    add(TargetScale::kLog, {.raw = false, .log = true, .degree = 2});
    add(TargetScale::kLog, {.raw = true, .inverse = true, .log = true, .degree = 2});
  }
  return sets;
}

}  // namespace

std::vector<CandidateGroup> RidgeTechnique::Candidates(const Dataset& data, const Roles&,
                                                       const Question& question,
                                                       const Restrictions& restrictions) const {
  std::vector<CandidateGroup> groups;
  for (const FeatureSet& set : FeatureSets(question, restrictions, data.y.minCoeff() > 0)) {
    if (!MakeFeatures(data, set.features, kMostTerms)) continue;
    CandidateGroup group;
    for (const double alpha : kAlphas) {
      group.push_back({.technique = std::string(name()),
                       .scale = set.scale,
                       .features = set.features,
                       .settings = {{"alpha", alpha}}});
    }
    groups.push_back(std::move(group));
  }
  return groups;
}

base::Result<std::vector<std::unique_ptr<Predictor>>> RidgeTechnique::Fit(
    const FitInput& input, const CandidateGroup& group) const {
  const Candidate& first = group.front();
  const std::optional<FeatureMap> features = MakeFeatures(input.data, first.features, kMostTerms);
  if (!features) {
    return base::Error(base::ErrorCode::kFailed, "too many product features for ridge regression");
  }
  const numeric::RidgePath path(features->Apply(input.data.x), ToScale(input.data.y, first.scale));
  std::vector<std::unique_ptr<Predictor>> predictors;
  for (const Candidate& candidate : group) {
    numeric::RidgePath::Solution solution = path.Solve(candidate.settings.at("alpha"));
    predictors.push_back(std::make_unique<LinearPredictor>(*features, std::move(solution.weights),
                                                           solution.intercept));
  }
  return predictors;
}

base::Result<std::unique_ptr<Predictor>> RidgeTechnique::Load(const base::Json& json,
                                                              const Schema& schema) const {
  return LinearPredictor::Load(json, schema);
}

}  // namespace reckon::learn
