#include "learn/trees/gradient_tree.h"

#include <algorithm>

namespace reckon::learn {
namespace {

// XGBoost's own threshold below which a gain is rounding.
constexpr double kLeastGain = 1e-6;

}  // namespace

GradientTreeGrower::GradientTreeGrower(const BinnedFeatures& features,
                                       const GradientTreeOptions& options)
    : features_(features), options_(options) {
  size_t most = 0;
  for (size_t j = 0; j < features.columns(); ++j) most = std::max(most, features.bins(j));
  bins_.resize(most);
}

std::vector<TreeNode> GradientTreeGrower::Grow(std::span<const GradientPair> gradients,
                                               std::vector<uint32_t> rows,
                                               std::span<const uint32_t> columns) {
  gradients_ = gradients;
  columns_ = columns;
  rows_ = std::move(rows);
  scratch_.resize(rows_.size());
  nodes_.clear();
  leaves_.clear();
  AddNode(0, rows_.size(), 0);
  return nodes_;
}

void GradientTreeGrower::AddTo(std::span<double> predictions, double rate) const {
  for (const Leaf& leaf : leaves_) {
    for (size_t i = leaf.begin; i < leaf.end; ++i) predictions[rows_[i]] += rate * leaf.value;
  }
}

int GradientTreeGrower::AddNode(size_t begin, size_t end, int depth) {
  GradientPair total;
  for (size_t i = begin; i < end; ++i) {
    total.g += gradients_[rows_[i]].g;
    total.h += gradients_[rows_[i]].h;
  }
  const int id = static_cast<int>(nodes_.size());
  TreeNode node;
  node.rows = static_cast<int>(end - begin);
  node.value = -total.g / (total.h + options_.lambda);
  nodes_.push_back(node);
  Split split;
  if (depth < options_.max_depth && end - begin > 1) split = BestSplit(begin, end, total);
  if (split.column < 0) {
    leaves_.push_back({begin, end, node.value});
    return id;
  }
  const size_t middle = Partition(split, begin, end);
  const int left = AddNode(begin, middle, depth + 1);
  const int right = AddNode(middle, end, depth + 1);
  TreeNode& grown = nodes_[static_cast<size_t>(id)];
  grown.term = split.column;
  grown.threshold = split.threshold;
  grown.left = left;
  grown.right = right;
  return id;
}

GradientTreeGrower::Split GradientTreeGrower::BestSplit(size_t begin, size_t end,
                                                        const GradientPair& total) {
  Split best;
  best.gain = std::max(kLeastGain, options_.gamma);
  for (const uint32_t column : columns_) {
    // Few rows over many bins: sorting them is cheaper than clearing the bins.
    if ((end - begin) * 4 < features_.bins(column)) {
      ScanSorted(column, begin, end, total, best);
    } else {
      ScanBins(column, begin, end, total, best);
    }
  }
  return best;
}

void GradientTreeGrower::ScanBins(size_t column, size_t begin, size_t end,
                                  const GradientPair& total, Split& best) {
  const size_t count = features_.bins(column);
  if (count < 2) return;
  std::fill_n(bins_.begin(), count, GradientPair{});
  const uint16_t* codes = features_.column(column);
  for (size_t i = begin; i < end; ++i) {
    const uint32_t row = rows_[i];
    GradientPair& bin = bins_[codes[row]];
    bin.g += gradients_[row].g;
    bin.h += gradients_[row].h;
  }
  GradientPair left;
  size_t previous = count;  // the last bin that holds rows
  for (size_t b = 0; b < count; ++b) {
    if (bins_[b].h == 0) continue;  // every row has a positive hessian
    if (previous < count) Consider(column, previous, b, left, total, best);
    left.g += bins_[b].g;
    left.h += bins_[b].h;
    previous = b;
  }
}

void GradientTreeGrower::ScanSorted(size_t column, size_t begin, size_t end,
                                    const GradientPair& total, Split& best) {
  const uint16_t* codes = features_.column(column);
  sorted_.assign(rows_.begin() + static_cast<ptrdiff_t>(begin),
                 rows_.begin() + static_cast<ptrdiff_t>(end));
  std::sort(sorted_.begin(), sorted_.end(), [codes](uint32_t a, uint32_t b) {
    return codes[a] != codes[b] ? codes[a] < codes[b] : a < b;
  });
  GradientPair left;
  for (size_t i = 0; i + 1 < sorted_.size(); ++i) {
    left.g += gradients_[sorted_[i]].g;
    left.h += gradients_[sorted_[i]].h;
    const size_t here = codes[sorted_[i]];
    const size_t next = codes[sorted_[i + 1]];
    if (here != next) Consider(column, here, next, left, total, best);
  }
}

void GradientTreeGrower::Consider(size_t column, size_t low, size_t high, const GradientPair& left,
                                  const GradientPair& total, Split& best) const {
  const GradientPair right{total.g - left.g, total.h - left.h};
  if (left.h < options_.min_child_weight || right.h < options_.min_child_weight) return;
  const auto score = [this](const GradientPair& sum) {
    return sum.g * sum.g / (sum.h + options_.lambda);
  };
  const double gain = score(left) + score(right) - score(total);
  if (!(gain > best.gain)) return;
  best = {static_cast<int>(column), low, features_.Threshold(column, low, high), gain};
}

size_t GradientTreeGrower::Partition(const Split& split, size_t begin, size_t end) {
  const uint16_t* codes = features_.column(static_cast<size_t>(split.column));
  size_t write = begin;
  size_t held = 0;
  for (size_t i = begin; i < end; ++i) {
    if (codes[rows_[i]] <= split.bin) {
      rows_[write++] = rows_[i];
    } else {
      scratch_[held++] = rows_[i];
    }
  }
  std::copy_n(scratch_.begin(), held, rows_.begin() + static_cast<ptrdiff_t>(write));
  return write;
}

}  // namespace reckon::learn
