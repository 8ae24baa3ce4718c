#include "learn/regressors/feature_sets.h"

#include <algorithm>

namespace reckon::learn {

std::vector<FeatureSet> Restricted(const std::vector<FeatureSet>& sets, const Dataset& data,
                                   const Restrictions& restrictions, size_t most_terms) {
  std::vector<FeatureSet> left;
  const bool positive = data.y.minCoeff() > 0;
  for (FeatureSet set : sets) {
    if (set.scale == TargetScale::kLog && !positive) continue;
    if (restrictions.scale && *restrictions.scale != set.scale) continue;
    if (restrictions.features) set.features = *restrictions.features;
    if (restrictions.degree) set.features.degree = *restrictions.degree;
    if (restrictions.select) set.features.select = *restrictions.select;
    const bool known = std::any_of(left.begin(), left.end(), [&](const FeatureSet& other) {
      return other.scale == set.scale && other.features == set.features;
    });
    if (!known && MakeFeatures(data, set.features, most_terms)) left.push_back(std::move(set));
  }
  return left;
}

std::vector<FeatureSet> LinearFeatureSets(const Question& question) {
  std::vector<FeatureSet> sets{
      {TargetScale::kLinear, {.raw = true}},
      {TargetScale::kLinear, {.raw = true, .inverse = true, .log = true}},
      {TargetScale::kLog, {.raw = false, .log = true}},
      {TargetScale::kLog, {.raw = false, .inverse = true, .log = true}},
  };
  // Products, and raw columns in the exponent, win inside the measured range and explode outside.
  if (!question.extrapolate) {
    sets.push_back({TargetScale::kLog, {.raw = true, .inverse = true, .log = true}});
    sets.push_back(
        {TargetScale::kLinear, {.raw = true, .inverse = true, .log = true, .degree = 2}});
    sets.push_back({TargetScale::kLog, {.raw = false, .log = true, .degree = 2}});
    sets.push_back({TargetScale::kLog, {.raw = true, .inverse = true, .log = true, .degree = 2}});
  }
  return sets;
}

std::optional<FeatureOptions> TreeFeatures(const Dataset& data, const Restrictions& restrictions) {
  FeatureOptions features = restrictions.features.value_or(FeatureOptions{});
  if (restrictions.degree) features.degree = *restrictions.degree;
  if (!MakeFeatures(data, features, kMostTreeTerms)) return std::nullopt;
  return features;
}

std::vector<TargetScale> PossibleScales(const Dataset& data, const Restrictions& restrictions) {
  if (restrictions.scale == TargetScale::kLinear || data.y.minCoeff() <= 0) {
    return {TargetScale::kLinear};
  }
  if (restrictions.scale) return {*restrictions.scale};
  return {TargetScale::kLinear, TargetScale::kLog};
}

TargetScale UsualScale(const Dataset& data, const Restrictions& restrictions) {
  return PossibleScales(data, restrictions).back();
}

std::vector<FeatureSet> SmoothFeatureSets(const Dataset& data, const Restrictions& restrictions) {
  const TargetScale scale = UsualScale(data, restrictions);
  return {{scale, {.raw = false, .log = true}}, {scale, {.raw = true, .log = true}}};
}

}  // namespace reckon::learn
