// The feature sets that techniques on augmented features try.
#pragma once

#include "learn/regressors/technique.h"

namespace reckon::learn {

struct FeatureSet {
  TargetScale scale;
  FeatureOptions features;
};

// The given sets as the user's restrictions leave them: with --features that one set on every scale
// of `sets`, with --degree and --select those, and without the log scale when a target is not above
// 0. Sets that are then equal come once; those of more than `most_terms` terms are left out.
std::vector<FeatureSet> Restricted(const std::vector<FeatureSet>& sets, const Dataset& data,
                                   const Restrictions& restrictions, size_t most_terms);

// What weighted sums of terms are tried on, for the question.
std::vector<FeatureSet> LinearFeatureSets(const Question& question);

// What trees split on: the columns themselves, unless the user wants others. nullopt: more terms
// than trees are grown on.
std::optional<FeatureOptions> TreeFeatures(const Dataset& data, const Restrictions& restrictions);
inline constexpr size_t kMostTreeTerms = 5000;

// The scales of the target that the data and the user allow.
std::vector<TargetScale> PossibleScales(const Dataset& data, const Restrictions& restrictions);
// The log of the target where it is above 0, otherwise the target itself; or as the user wants it.
TargetScale UsualScale(const Dataset& data, const Restrictions& restrictions);

// On the usual scale; on log, and on raw and log columns.
std::vector<FeatureSet> SmoothFeatureSets(const Dataset& data, const Restrictions& restrictions);

}  // namespace reckon::learn
