// What a forecast is made of.
#pragma once

#include <vector>

#include "core/forecast.h"
#include "learn/model.h"

namespace reckon::predict {

struct Breakdown {
  // Of the amounts: the target's unit, or its logarithm where terms multiply.
  learn::TargetScale scale = learn::TargetScale::kLinear;
  // They add up to the forecast on that scale (before it is held within the target's range),
  // largest first; terms of 0 are left out.
  std::vector<core::Contribution> parts;
};

// For one row of inputs:
// - weighted sums: each term;
// - the generic law: the terms of its bracket, scaled by its resources, and the constant;
// - sums of power laws: each power law's share of the sum, what limits beyond the measured range
//   take away, and the correction by trees, in the target's unit;
// - trees: the mean of all rows, and what each split on the way to the leaf changed (Saabas);
// - blends: each member's weighted forecast, with its own breakdown as parts.
Breakdown Contributions(const learn::Model& model, const Eigen::Ref<const Eigen::RowVectorXd>& x);

}  // namespace reckon::predict
