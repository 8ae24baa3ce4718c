// Features as small whole numbers: the rank of each cell among the distinct values of its column.
// Growing a tree then counts instead of sorting, and nothing is lost: every value has its own bin.
#pragma once

#include <cstdint>
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
  const uint16_t* column(size_t j) const { return codes_.data() + j * rows_; }
  size_t bins(size_t j) const { return values_[j].size(); }
  // The threshold between two bins of a column, `low` < `high`: half-way between what they hold.
  double Threshold(size_t j, size_t low, size_t high) const;
  // The value of the leaf of `tree` that a row falls into; its terms are columns.
  double Evaluate(const std::vector<TreeNode>& tree, size_t row) const {
    const TreeNode* node = tree.data();
    while (node->left >= 0) {
      const auto j = static_cast<size_t>(node->term);
      const bool left = values_[j][column(j)[row]] <= node->threshold;
      node = &tree[static_cast<size_t>(left ? node->left : node->right)];
    }
    return node->value;
  }

 private:
  size_t rows_;
  std::vector<uint16_t> codes_;               // column after column
  std::vector<std::vector<double>> values_;   // of each column, ascending: the least of each bin
  std::vector<std::vector<double>> highest_;  // the greatest of each bin, when bins are shared
};

}  // namespace reckon::learn
