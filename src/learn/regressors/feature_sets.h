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

// The log of the target where it is above 0, otherwise the target; on log, and on raw and log
// columns.
std::vector<FeatureSet> SmoothFeatureSets(const Dataset& data, const Restrictions& restrictions);

}  // namespace reckon::learn
