// Gradient boosting with squared error, many tree counts from one run.
#pragma once

#include <optional>
#include <vector>

#include "base/rng.h"
#include "learn/trees/gradient_tree.h"

namespace reckon::learn {

struct BoostingOptions {
  std::optional<double> start;  // nullopt: the weighted mean of the targets
  int trees = 100;
  double rate = 0.1;
  bool floats = false;      // keep leaf values and sums of trees as floats, as XGBoost does
  double row_share = 1;     // of the rows that each tree sees, drawn anew
  double column_share = 1;  // of the columns
  GradientTreeOptions tree;
};

struct Boosted {
  double base = 0;
  std::vector<std::vector<TreeNode>> trees;  // leaf values already times the rate
};

// Rows count by `weight` (all of them positive). The first n trees are what a run with n trees
// would give.
Boosted Boost(const BinnedFeatures& features, const numeric::Vector& target,
              const numeric::Vector& weight, const BoostingOptions& options, base::Rng rng);

}  // namespace reckon::learn
