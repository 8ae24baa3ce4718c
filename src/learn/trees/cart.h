// Regression trees (CART, Breiman et al. 1984), alone or in forests, by squared or absolute error.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/rng.h"
#include "learn/regressors/formula.h"
#include "learn/trees/binned.h"
#include "learn/trees/median_scan.h"
#include "numeric/matrix.h"

namespace reckon::learn {

// Friedman's criterion ranks the splits of a node as squared error does, so it needs no code.
enum class Criterion { kSquared, kFriedman, kAbsolute };

const char* CriterionName(Criterion criterion);
// "mse", "friedman_mse", "mae".
base::Result<Criterion> ParseCriterion(const std::string& name);

struct CartOptions {
  Criterion criterion = Criterion::kSquared;
  int max_depth = 20;
  int min_split = 2;           // rows of a node that may be split
  int min_leaf = 1;            // rows of a leaf
  size_t columns_a_split = 0;  // drawn anew at each node; 0: all
};

// Grows trees over the same rows again and again; keeps its buffers. Not thread-safe.
class CartGrower {
 public:
  CartGrower(const BinnedFeatures& features, const numeric::Vector& target);

  // `count`: how often each row is in the sample (0: not at all; at least one is in). Rows are
  // counted once for min_split and min_leaf. A split puts rows with feature <= threshold left, the
  // threshold half-way between two neighbours; among equal gains the lowest column, then the lowest
  // threshold wins. The value of a node is the mean (absolute error: the median) of its sample.
  // Draws depend on the node's place, so that a tree cut by CutTree is the one that would have been
  // grown with the smaller limits.
  std::vector<TreeNode> Grow(std::span<const uint32_t> count, const CartOptions& options,
                             const base::Rng& rng);

 private:
  struct Split {
    int column = -1;
    size_t low = 0;
    size_t high = 0;
    double gain = 0;
  };

  void StartOrders(std::span<const uint32_t> count);
  int AddNode(size_t begin, size_t end, int depth, uint64_t place);
  Split BestSplit(size_t begin, size_t end, uint64_t place);
  void ScanMeans(size_t begin, size_t end, size_t slot, Split& best) const;
  void ScanMedians(size_t begin, size_t end, size_t slot, Split& best);
  bool Allowed(size_t left, size_t all) const;
  size_t Partition(const Split& split, size_t begin, size_t end);

  const BinnedFeatures& features_;
  const numeric::Vector& target_;
  std::vector<uint32_t> columns_;
  std::vector<uint32_t> scanned_;              // columns that this tree may split by
  std::vector<std::vector<uint16_t>> codes_;   // of each column, by row
  std::vector<std::vector<uint32_t>> sorted_;  // all rows by each column, last by target
  std::vector<std::vector<uint32_t>> orders_;  // likewise the sample's, node after node
  std::span<const uint32_t> count_;
  CartOptions options_;
  const base::Rng* rng_ = nullptr;
  double node_sum_ = 0;    // of the node that is split: weighted sum of targets
  double node_count_ = 0;  // and of counts
  std::vector<char> goes_left_;
  std::vector<uint32_t> scratch_;
  MedianScan medians_;
  std::vector<TreeNode> nodes_;
};

// What would have been grown with a smaller depth and a greater min_split.
std::vector<TreeNode> CutTree(const std::vector<TreeNode>& nodes, int max_depth, int min_split);

}  // namespace reckon::learn
