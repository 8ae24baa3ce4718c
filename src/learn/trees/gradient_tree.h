// One tree of gradient boosting, as XGBoost's exact greedy algorithm grows it (Chen and Guestrin,
// KDD 2016): splits maximise G_l^2/(H_l+lambda) + G_r^2/(H_r+lambda) - G^2/(H+lambda).
#pragma once

#include <span>
#include <vector>

#include "learn/regressors/formula.h"
#include "learn/trees/binned.h"

namespace reckon::learn {

struct GradientTreeOptions {
  int max_depth = 6;
  double lambda = 1;            // L2 penalty on leaf values
  double gamma = 0;             // least gain of a split
  double min_child_weight = 1;  // least sum of hessians in a leaf
};

// The gradient and hessian of the loss at one row.
struct GradientPair {
  double g = 0;
  double h = 0;
};

// Grows trees over the same features again and again; keeps its buffers. Not thread-safe.
class GradientTreeGrower {
 public:
  GradientTreeGrower(const BinnedFeatures& features, const GradientTreeOptions& options);

  // A tree over `rows` (indices of feature rows) with splits among `columns`. Leaf values are
  // -G/(H + lambda), without a learning rate. Among equal gains the first column, then the lowest
  // threshold wins. leaf_of_row(): the leaf that each of `rows` fell into.
  std::vector<TreeNode> Grow(std::span<const GradientPair> gradients, std::vector<uint32_t> rows,
                             std::span<const uint32_t> columns);

  // Adds rate * leaf value to the prediction of every row of the last tree.
  void AddTo(std::span<double> predictions, double rate) const;

 private:
  struct Split {
    int column = -1;
    size_t bin = 0;  // rows with a code up to this go left
    double threshold = 0;
    double gain = 0;
  };
  struct Leaf {
    size_t begin;
    size_t end;
    double value;
  };

  int AddNode(size_t begin, size_t end, int depth);
  Split BestSplit(size_t begin, size_t end, const GradientPair& total);
  void ScanBins(size_t column, size_t begin, size_t end, const GradientPair& total, Split& best);
  void ScanSorted(size_t column, size_t begin, size_t end, const GradientPair& total, Split& best);
  void Consider(size_t column, size_t low, size_t high, const GradientPair& left,
                const GradientPair& total, Split& best) const;
  size_t Partition(const Split& split, size_t begin, size_t end);

  const BinnedFeatures& features_;
  GradientTreeOptions options_;
  std::span<const GradientPair> gradients_;
  std::span<const uint32_t> columns_;
  std::vector<uint32_t> rows_;
  std::vector<uint32_t> scratch_;
  std::vector<GradientPair> bins_;
  std::vector<uint32_t> sorted_;
  std::vector<TreeNode> nodes_;
  std::vector<Leaf> leaves_;
};

}  // namespace reckon::learn
