// What a forecast is made of.
#pragma once

#include <vector>

#include "core/forecast.h"
#include "learn/model.h"

namespace reckon::predict {

// What each term adds to the prediction for one row of inputs, on the model's scale (the log of the
// target for models on the log scale), largest first; terms of weight 0 are left out. A law's
// terms come scaled by its resources, so that they add up to the prediction. Empty for trees.
std::vector<core::Contribution> Contributions(const learn::Model& model,
                                              const Eigen::Ref<const Eigen::RowVectorXd>& x);

}  // namespace reckon::predict
