// What a predictor says of itself, as plain values that can be printed in any language.
#pragma once

#include <variant>
#include <vector>

#include "learn/features/term.h"

namespace reckon::learn {

// intercept + sum of weight * term.
struct LinearFormula {
  double intercept = 0;
  std::vector<Term> terms;
  std::vector<double> weights;
};

// A node with `left` < 0 is a leaf; otherwise rows with term <= threshold go left.
struct TreeNode {
  int term = -1;
  double threshold = 0;
  int left = -1;
  int right = -1;
  double value = 0;  // mean of the training rows here
  int rows = 0;
};

struct TreeFormula {
  std::vector<Term> terms;
  std::vector<TreeNode> nodes;  // the root first
};

using Formula = std::variant<LinearFormula, TreeFormula>;

}  // namespace reckon::learn
