// Features as small whole numbers: the rank of each cell among the distinct values of its column.
// Growing a tree then counts instead of sorting, and nothing is lost: every value has its own bin.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "learn/regressors/formula.h"
#include "numeric/matrix.h"

namespace reckon::learn {

class BinnedFeatures {
 public:
  // At most 65,536 distinct values a column; a column with more shares bins among neighbours.
  explicit BinnedFeatures(const numeric::Matrix& features);

  size_t rows() const { return rows_; }
  size_t columns() const { return values_.size(); }
  // The codes of one row, column after column.
  const uint16_t* row(size_t i) const { return codes_.data() + i * columns(); }
  size_t bins(size_t j) const { return values_[j].size(); }
  // Where the bins of column j begin when those of all columns stand in one line.
  size_t first_bin(size_t j) const { return first_bin_[j]; }
  size_t total_bins() const { return first_bin_.back(); }
  // Those of `columns` that vary, and of several that put the rows in one order (x, log x, 1/x:
  // a tree can do nothing with one that it cannot do with the other) the first.
  std::vector<uint32_t> DistinctOrders(std::span<const uint32_t> columns) const;
  // The threshold between two bins of a column, `low` < `high`: half-way between what they hold.
  double Threshold(size_t j, size_t low, size_t high) const;
  // The value of the leaf of `tree` that a row falls into; its terms are columns.
  double Evaluate(const std::vector<TreeNode>& tree, size_t i) const {
    const TreeNode* node = tree.data();
    while (node->left >= 0) {
      const auto j = static_cast<size_t>(node->term);
      const bool left = values_[j][row(i)[j]] <= node->threshold;
      node = &tree[static_cast<size_t>(left ? node->left : node->right)];
    }
    return node->value;
  }

 private:
  size_t rows_;
  std::vector<uint16_t> codes_;  // row after row: a tree looks at all columns of few rows
  std::vector<size_t> first_bin_;
  std::vector<std::vector<double>> values_;   // of each column, ascending: the least of each bin
  std::vector<std::vector<double>> highest_;  // the greatest of each bin
  std::vector<size_t> order_;                 // columns with the same number order the rows alike
};

}  // namespace reckon::learn
