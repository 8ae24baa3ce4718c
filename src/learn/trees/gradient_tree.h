// One tree of gradient boosting, as XGBoost's exact greedy algorithm grows it (Chen and Guestrin,
// KDD 2016): splits maximise G_l^2/(H_l+lambda) + G_r^2/(H_r+lambda) - G^2/(H+lambda); splits that
// gain less than gamma are taken back when the tree is grown, from the leaves up.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "learn/regressors/formula.h"
#include "learn/trees/binned.h"

namespace reckon::learn {

struct GradientTreeOptions {
  int max_depth = 6;
  double lambda = 1;            // L2 penalty on leaf values
  double gamma = 0;             // least gain of a split that stays
  double min_child_weight = 1;  // least sum of hessians in a leaf
};

// The gradient and hessian of the loss at one row, or their sums over several.
struct GradientPair {
  double g = 0;
  double h = 0;
};

// Grows trees over the same features again and again; keeps its buffers. Not thread-safe.
class GradientTreeGrower {
 public:
  GradientTreeGrower(const BinnedFeatures& features, const GradientTreeOptions& options);

  // A tree over `rows` (indices of feature rows, at least one) with splits among `columns`. Every
  // hessian must be positive. Leaf values are -G/(H + lambda), without a learning rate. Among equal
  // gains the first column, then the lowest threshold wins.
  std::vector<TreeNode> Grow(std::span<const GradientPair> gradients, std::vector<uint32_t> rows,
                             std::span<const uint32_t> columns);

  // Adds rate * leaf value to the prediction of every row of the last tree.
  void AddTo(std::span<double> predictions, double rate) const;

 private:
  struct Split {
    int column = -1;
    size_t low = 0;  // rows with a code up to this go left
    size_t high = 0;
    double gain = 0;
  };
  struct Leaf {
    size_t begin;
    size_t end;
    double value;
  };
  // Sums of the rows of a node in every bin of every column.
  using Histogram = std::vector<GradientPair>;
  static constexpr size_t kNone = static_cast<size_t>(-1);

  // `histogram`: a buffer that holds the node's sums, or kNone. Gives the buffer back.
  int AddNode(size_t begin, size_t end, int depth, size_t histogram);
  bool CountsInBins(size_t rows) const;
  size_t TakeBuffer();
  size_t BuildHistogram(size_t begin, size_t end);
  Split SplitByBins(const Histogram& histogram, const GradientPair& total) const;
  Split SplitBySorting(size_t begin, size_t end, const GradientPair& total);
  double BestConceivableGain(const GradientPair& total);
  void Consider(uint32_t column, size_t low, size_t high, const GradientPair& left,
                const GradientPair& total, Split& best) const;
  double Gain(const GradientPair& left, const GradientPair& total) const;
  size_t Partition(const Split& split, size_t begin, size_t end);

  const BinnedFeatures& features_;
  GradientTreeOptions options_;
  std::span<const GradientPair> gradients_;
  std::vector<uint32_t> columns_;
  size_t bins_in_use_ = 0;  // of columns_
  double least_hessian_ = 0;
  std::vector<uint32_t> rows_;
  std::vector<uint32_t> scratch_;
  std::vector<Histogram> buffers_;
  std::vector<size_t> free_buffers_;
  std::vector<GradientPair> here_;  // of the node that is split by sorting
  std::vector<GradientPair> here_sorted_;
  std::vector<uint64_t> keys_;
  std::vector<TreeNode> nodes_;
  std::vector<Leaf> leaves_;
};

}  // namespace reckon::learn
