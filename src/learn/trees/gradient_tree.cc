#include "learn/trees/gradient_tree.h"

#include <algorithm>
#include <limits>

namespace reckon::learn {
namespace {

// XGBoost's own threshold below which a gain is rounding.
constexpr double kLeastGain = 1e-6;
// Sums made in another order differ by rounding; such gains are equal.
constexpr double kEqual = 1e-11;
// Up to so many rows, sorting each column of a node is cheaper than counting in bins.
constexpr size_t kFewRows = 10;
constexpr size_t kInsertionSort = 24;

void SortKeys(std::vector<uint64_t>& keys) {
  if (keys.size() > kInsertionSort) {
    std::sort(keys.begin(), keys.end());
    return;
  }
  for (size_t i = 1; i < keys.size(); ++i) {
    const uint64_t key = keys[i];
    size_t at = i;
    for (; at > 0 && keys[at - 1] > key; --at) keys[at] = keys[at - 1];
    keys[at] = key;
  }
}

}  // namespace

GradientTreeGrower::GradientTreeGrower(const BinnedFeatures& features,
                                       const GradientTreeOptions& options)
    : features_(features), options_(options) {}

std::vector<TreeNode> GradientTreeGrower::Grow(std::span<const GradientPair> gradients,
                                               std::vector<uint32_t> rows,
                                               std::span<const uint32_t> columns) {
  gradients_ = gradients;
  columns_ = features_.DistinctOrders(columns);
  bins_in_use_ = 0;
  for (const uint32_t column : columns_) bins_in_use_ += features_.bins(column);
  rows_ = std::move(rows);
  least_hessian_ = std::numeric_limits<double>::infinity();
  for (const uint32_t row : rows_) least_hessian_ = std::min(least_hessian_, gradients_[row].h);
  scratch_.resize(rows_.size());
  nodes_.clear();
  leaves_.clear();
  AddNode(0, rows_.size(), 0, kNone);
  return nodes_;
}

void GradientTreeGrower::AddTo(std::span<double> predictions, double rate) const {
  for (const Leaf& leaf : leaves_) {
    for (size_t i = leaf.begin; i < leaf.end; ++i) predictions[rows_[i]] += rate * leaf.value;
  }
}

int GradientTreeGrower::AddNode(size_t begin, size_t end, int depth, size_t histogram) {
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
  if (depth < options_.max_depth && end - begin > 1) {
    if (CountsInBins(end - begin)) {
      if (histogram == kNone) histogram = BuildHistogram(begin, end);
      split = SplitByBins(buffers_[histogram], total);
    } else {
      split = SplitBySorting(begin, end, total);
    }
  }
  if (split.column < 0) {
    if (histogram != kNone) free_buffers_.push_back(histogram);
    leaves_.push_back({begin, end, node.value});
    return id;
  }
  const size_t middle = Partition(split, begin, end);
  // The smaller child's bins are counted; the larger child's are what is left of the parent's.
  size_t smaller = kNone;
  const bool left_smaller = middle - begin < end - middle;
  const size_t most = std::max(middle - begin, end - middle);
  if (histogram != kNone && depth + 1 < options_.max_depth && CountsInBins(most)) {
    smaller = left_smaller ? BuildHistogram(begin, middle) : BuildHistogram(middle, end);
    Histogram& rest = buffers_[histogram];
    const Histogram& part = buffers_[smaller];
    for (size_t b = 0; b < rest.size(); ++b) {
      rest[b].g -= part[b].g;
      rest[b].h -= part[b].h;
    }
  } else if (histogram != kNone) {
    free_buffers_.push_back(histogram);
    histogram = kNone;
  }
  const int left = AddNode(begin, middle, depth + 1, left_smaller ? smaller : histogram);
  const int right = AddNode(middle, end, depth + 1, left_smaller ? histogram : smaller);
  const auto is_leaf = [this](int child) { return nodes_[static_cast<size_t>(child)].left < 0; };
  if (split.gain < options_.gamma && is_leaf(left) && is_leaf(right)) {
    nodes_.resize(static_cast<size_t>(id) + 1);
    leaves_.resize(leaves_.size() - 2);
    leaves_.push_back({begin, end, node.value});
    return id;
  }
  const auto column = static_cast<size_t>(split.column);
  TreeNode& grown = nodes_[static_cast<size_t>(id)];
  grown.term = split.column;
  grown.threshold = features_.Threshold(column, split.low, split.high);
  grown.left = left;
  grown.right = right;
  return id;
}

bool GradientTreeGrower::CountsInBins(size_t rows) const {
  return rows > kFewRows && bins_in_use_ <= 4 * rows * columns_.size();
}

size_t GradientTreeGrower::TakeBuffer() {
  if (free_buffers_.empty()) {
    buffers_.emplace_back();
    return buffers_.size() - 1;
  }
  const size_t buffer = free_buffers_.back();
  free_buffers_.pop_back();
  return buffer;
}

size_t GradientTreeGrower::BuildHistogram(size_t begin, size_t end) {
  const size_t buffer = TakeBuffer();
  Histogram& histogram = buffers_[buffer];
  histogram.assign(features_.total_bins(), GradientPair{});
  for (size_t i = begin; i < end; ++i) {
    const uint16_t* codes = features_.row(rows_[i]);
    const GradientPair gradient = gradients_[rows_[i]];
    for (const uint32_t column : columns_) {
      GradientPair& bin = histogram[features_.first_bin(column) + codes[column]];
      bin.g += gradient.g;
      bin.h += gradient.h;
    }
  }
  return buffer;
}

GradientTreeGrower::Split GradientTreeGrower::SplitByBins(const Histogram& histogram,
                                                          const GradientPair& total) const {
  Split best;
  best.gain = kLeastGain;
  // What subtraction leaves of an empty bin is rounding.
  const double nothing = least_hessian_ / 2;
  for (const uint32_t column : columns_) {
    const GradientPair* bins = histogram.data() + features_.first_bin(column);
    const size_t count = features_.bins(column);
    GradientPair left;
    size_t previous = count;  // the last bin that holds rows
    for (size_t b = 0; b < count; ++b) {
      if (bins[b].h < nothing) continue;
      if (previous < count) Consider(column, previous, b, left, total, best);
      left.g += bins[b].g;
      left.h += bins[b].h;
      previous = b;
    }
  }
  return best;
}

GradientTreeGrower::Split GradientTreeGrower::SplitBySorting(size_t begin, size_t end,
                                                             const GradientPair& total) {
  const size_t count = end - begin;
  here_.resize(count);
  for (size_t i = 0; i < count; ++i) here_[i] = gradients_[rows_[begin + i]];
  const double ceiling = BestConceivableGain(total) * (1 - kEqual);
  Split best;
  best.gain = kLeastGain;
  if (ceiling <= kLeastGain) return best;
  for (const uint32_t column : columns_) {
    keys_.resize(count);
    for (size_t i = 0; i < count; ++i) {
      keys_[i] = static_cast<uint64_t>(features_.row(rows_[begin + i])[column]) << 32 | i;
    }
    SortKeys(keys_);
    GradientPair left;
    for (size_t i = 0; i + 1 < count; ++i) {
      const GradientPair& row = here_[keys_[i] & 0xffffffffU];
      left.g += row.g;
      left.h += row.h;
      const size_t low = keys_[i] >> 32;
      const size_t high = keys_[i + 1] >> 32;
      if (low != high) Consider(column, low, high, left, total, best);
    }
    if (best.gain >= ceiling) break;  // no later column can do better
  }
  return best;
}

// The gain of the best of all ways to part the node's rows. The score is convex in (G, H), so that
// the best part holds the rows of the lowest g/h.
double GradientTreeGrower::BestConceivableGain(const GradientPair& total) {
  std::vector<GradientPair>& sorted = here_sorted_;
  sorted = here_;
  std::sort(sorted.begin(), sorted.end(),
            [](const GradientPair& a, const GradientPair& b) { return a.g * b.h < b.g * a.h; });
  double best = 0;
  GradientPair left;
  for (size_t i = 0; i + 1 < sorted.size(); ++i) {
    left.g += sorted[i].g;
    left.h += sorted[i].h;
    best = std::max(best, Gain(left, total));
  }
  return best;
}

double GradientTreeGrower::Gain(const GradientPair& left, const GradientPair& total) const {
  const GradientPair right{total.g - left.g, total.h - left.h};
  const double l = left.h + options_.lambda;
  const double r = right.h + options_.lambda;
  return (left.g * left.g * r + right.g * right.g * l) / (l * r) -
         total.g * total.g / (total.h + options_.lambda);
}

void GradientTreeGrower::Consider(uint32_t column, size_t low, size_t high,
                                  const GradientPair& left, const GradientPair& total,
                                  Split& best) const {
  if (left.h < options_.min_child_weight || total.h - left.h < options_.min_child_weight) return;
  const double gain = Gain(left, total);
  if (gain > best.gain * (1 + kEqual)) best = {static_cast<int>(column), low, high, gain};
}

size_t GradientTreeGrower::Partition(const Split& split, size_t begin, size_t end) {
  const auto column = static_cast<size_t>(split.column);
  size_t write = begin;
  size_t held = 0;
  for (size_t i = begin; i < end; ++i) {
    if (features_.row(rows_[i])[column] <= split.low) {
      rows_[write++] = rows_[i];
    } else {
      scratch_[held++] = rows_[i];
    }
  }
  std::copy_n(scratch_.begin(), held, rows_.begin() + static_cast<ptrdiff_t>(write));
  return write;
}

}  // namespace reckon::learn
