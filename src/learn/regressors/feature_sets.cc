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

std::vector<FeatureSet> SmoothFeatureSets(const Dataset& data, const Restrictions& restrictions) {
  TargetScale scale = data.y.minCoeff() > 0 ? TargetScale::kLog : TargetScale::kLinear;
  if (restrictions.scale) scale = *restrictions.scale;
  return {{scale, {.raw = false, .log = true}}, {scale, {.raw = true, .log = true}}};
}

}  // namespace reckon::learn
