// Gradient boosting with squared error, many tree counts from one run.
#pragma once

#include <vector>

#include "base/rng.h"
#include "learn/trees/gradient_tree.h"

namespace reckon::learn {

struct BoostingOptions {
  int trees = 100;
  double rate = 0.1;
  double row_share = 1;     // of the rows that each tree sees, drawn anew
  double column_share = 1;  // of the columns
  GradientTreeOptions tree;
};

struct Boosted {
  double base = 0;                           // the weighted mean of the targets
  std::vector<std::vector<TreeNode>> trees;  // leaf values already times the rate
};

// Rows count by `weight` (all of them positive). The first n trees are what a run with n trees
// would give.
Boosted Boost(const BinnedFeatures& features, const numeric::Vector& target,
              const numeric::Vector& weight, const BoostingOptions& options, base::Rng rng);

}  // namespace reckon::learn
