// Trees laid out for evaluation: 16 bytes a node, both children side by side, and leaves that lead
// to themselves, so that a walk has neither branches to guess nor an end to look for.
#pragma once

#include <cstdint>
#include <vector>

#include "learn/regressors/formula.h"
#include "numeric/matrix.h"

namespace reckon::learn {

class FlatTrees {
 public:
  FlatTrees() = default;
  explicit FlatTrees(const std::vector<std::vector<TreeNode>>& trees);

  // Adds the sum of the trees' values for each row of features to `sums`.
  void AddTo(const numeric::Matrix& features, numeric::Vector& sums) const;

 private:
  struct Node {
    double threshold;  // a leaf: infinity
    uint32_t term;
    uint32_t next;  // the left child, the right one follows; a leaf: itself
  };
  struct Tree {
    uint32_t root;
    int depth;
  };

  void Add(const std::vector<TreeNode>& tree);

  std::vector<Node> nodes_;
  std::vector<double> values_;  // of leaves; beside the nodes, since walks do not need them
  std::vector<Tree> trees_;
};

}  // namespace reckon::learn
