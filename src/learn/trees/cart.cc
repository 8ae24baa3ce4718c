#include "learn/trees/cart.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

namespace reckon::learn {
namespace {

// Gains below rounding are no gains: a pure node stays a leaf.
constexpr double kRounding = 1e-12;
// With so many rows a place to split at, medians are looked for at the places only.
constexpr size_t kFewPlaces = 4;

void CutNode(const std::vector<TreeNode>& nodes, int id, int depth, int min_split,
             std::vector<TreeNode>& out) {
  const auto here = out.size();
  const TreeNode& node = nodes[static_cast<size_t>(id)];
  out.push_back(node);
  if (depth == 0 || node.left < 0 || node.rows < min_split) {
    out[here].term = -1;
    out[here].threshold = 0;
    out[here].left = out[here].right = -1;
    return;
  }
  out[here].left = static_cast<int>(out.size());
  CutNode(nodes, node.left, depth - 1, min_split, out);
  out[here].right = static_cast<int>(out.size());
  CutNode(nodes, node.right, depth - 1, min_split, out);
}

}  // namespace

const char* CriterionName(Criterion criterion) {
  switch (criterion) {
    case Criterion::kSquared:
      return "mse";
    case Criterion::kFriedman:
      return "friedman_mse";
    case Criterion::kAbsolute:
      return "mae";
  }
  return "mse";
}

base::Result<Criterion> ParseCriterion(const std::string& name) {
  for (const Criterion criterion :
       {Criterion::kSquared, Criterion::kFriedman, Criterion::kAbsolute}) {
    if (name == CriterionName(criterion)) return criterion;
  }
  return base::BadInput(
      fmt::format("unknown criterion '{}'; expected mse, friedman_mse or mae", name));
}

CartGrower::CartGrower(const BinnedFeatures& features, const numeric::Vector& target)
    : features_(features), target_(target) {
  std::vector<uint32_t> by_target(features.rows());
  std::iota(by_target.begin(), by_target.end(), 0U);
  std::stable_sort(by_target.begin(), by_target.end(),
                   [&](uint32_t a, uint32_t b) { return target(a) < target(b); });
  columns_.resize(features.columns());
  std::iota(columns_.begin(), columns_.end(), 0U);
  for (const uint32_t column : columns_) {
    std::vector<uint16_t>& codes = codes_.emplace_back(features.rows());
    std::vector<uint32_t> place(features.bins(column) + 1, 0);
    for (size_t i = 0; i < features.rows(); ++i) {
      codes[i] = features.row(i)[column];
      ++place[codes[i] + 1U];
    }
    for (size_t b = 1; b < place.size(); ++b) place[b] += place[b - 1];
    std::vector<uint32_t>& sorted = sorted_.emplace_back(features.rows());
    for (const uint32_t row : by_target) sorted[place[codes[row]]++] = row;
  }
  sorted_.push_back(std::move(by_target));
  orders_.resize(sorted_.size());
  goes_left_.resize(features.rows());
  scratch_.resize(features.rows());
}

std::vector<TreeNode> CartGrower::Grow(std::span<const uint32_t> count, const CartOptions& options,
                                       const base::Rng& rng) {
  count_ = count;
  options_ = options;
  rng_ = &rng;
  // Draws are among all columns, so that a column with many twins is drawn more often, as
  // elsewhere.
  scanned_ = options.columns_a_split == 0 ? features_.DistinctOrders(columns_) : columns_;
  StartOrders(count);
  nodes_.clear();
  AddNode(0, orders_.back().size(), 0, 1);
  return nodes_;
}

void CartGrower::StartOrders(std::span<const uint32_t> count) {
  const auto start = [&](size_t slot) {
    orders_[slot].clear();
    for (const uint32_t row : sorted_[slot]) {
      if (count[row] > 0) orders_[slot].push_back(row);
    }
  };
  for (const uint32_t slot : scanned_) start(slot);
  start(sorted_.size() - 1);
}

int CartGrower::AddNode(size_t begin, size_t end, int depth, uint64_t place) {
  const int id = static_cast<int>(nodes_.size());
  const std::span<const uint32_t> by_target(orders_.back().data() + begin, end - begin);
  node_sum_ = node_count_ = 0;
  for (const uint32_t row : by_target) {
    node_sum_ += count_[row] * target_(row);
    node_count_ += count_[row];
  }
  TreeNode node;
  node.rows = static_cast<int>(end - begin);
  node.value = node_sum_ / node_count_;
  if (options_.criterion == Criterion::kAbsolute) {
    medians_.StartNode(by_target, count_, target_);
    node.value = medians_.median();
  }
  nodes_.push_back(node);
  const bool may_split = depth < options_.max_depth && node.rows >= options_.min_split &&
                         node.rows >= 2 * options_.min_leaf && node.rows > 1;
  const Split split = may_split ? BestSplit(begin, end, place) : Split{};
  if (split.column < 0) return id;
  const size_t middle = Partition(split, begin, end);
  const int left = AddNode(begin, middle, depth + 1, 2 * place);
  const int right = AddNode(middle, end, depth + 1, 2 * place + 1);
  TreeNode& grown = nodes_[static_cast<size_t>(id)];
  grown.term = split.column;
  grown.threshold = features_.Threshold(static_cast<size_t>(split.column), split.low, split.high);
  grown.left = left;
  grown.right = right;
  return id;
}

CartGrower::Split CartGrower::BestSplit(size_t begin, size_t end, uint64_t place) {
  Split best;
  const bool absolute = options_.criterion == Criterion::kAbsolute;
  if (absolute) {
    best.gain = kRounding * medians_.cost();
  } else {
    const double mean = node_sum_ / node_count_;
    double squares = 0;
    for (size_t i = begin; i < end; ++i) {
      const uint32_t row = orders_.back()[i];
      squares += count_[row] * (target_(row) - mean) * (target_(row) - mean);
    }
    best.gain = kRounding * squares;
  }
  const auto scan = [&](size_t slot) {
    if (absolute) {
      ScanMedians(begin, end, slot, best);
    } else {
      ScanMeans(begin, end, slot, best);
    }
  };
  if (options_.columns_a_split == 0) {
    for (const uint32_t column : scanned_) scan(column);
    return best;
  }
  base::Rng rng = rng_->Fork(place);
  const std::vector<size_t> drawn = rng.Permutation(columns_.size());
  size_t seen = 0;
  for (const size_t slot : drawn) {
    if (seen == options_.columns_a_split) break;
    const std::vector<uint32_t>& order = orders_[slot];
    if (codes_[slot][order[begin]] == codes_[slot][order[end - 1]]) continue;  // constant here
    scan(slot);
    ++seen;
  }
  return best;
}

bool CartGrower::Allowed(size_t left, size_t all) const {
  const auto least = static_cast<size_t>(options_.min_leaf);
  return left >= least && all - left >= least;
}

void CartGrower::ScanMeans(size_t begin, size_t end, size_t slot, Split& best) const {
  const std::vector<uint32_t>& order = orders_[slot];
  const std::vector<uint16_t>& codes = codes_[slot];
  const double mean = node_sum_ / node_count_;
  double left_sum = 0;  // of target - mean
  double left_count = 0;
  for (size_t i = begin; i + 1 < end; ++i) {
    const uint32_t row = order[i];
    left_sum += count_[row] * (target_(row) - mean);
    left_count += count_[row];
    const uint16_t low = codes[row];
    const uint16_t high = codes[order[i + 1]];
    if (low == high || !Allowed(i + 1 - begin, end - begin)) continue;
    // The two parts' means lie left_sum/l and -left_sum/(n-l) off the node's.
    const double gain =
        left_sum * left_sum * node_count_ / (left_count * (node_count_ - left_count));
    if (gain > best.gain * (1 + kRounding)) best = {static_cast<int>(slot), low, high, gain};
  }
}

void CartGrower::ScanMedians(size_t begin, size_t end, size_t slot, Split& best) {
  const std::vector<uint32_t>& order = orders_[slot];
  const std::vector<uint16_t>& codes = codes_[slot];
  if (codes[order[begin]] == codes[order[end - 1]]) return;
  const auto consider = [&](size_t i, double cost) {
    const double gain = medians_.cost() - cost;
    if (gain > best.gain * (1 + kRounding)) {
      best = {static_cast<int>(slot), codes[order[i]], codes[order[i + 1]], gain};
    }
  };
  if (features_.bins(slot) * kFewPlaces < end - begin) {
    medians_.StartFewPlaces();
    for (size_t i = begin; i + 1 < end; ++i) {
      medians_.Append(order[i]);
      if (codes[order[i]] == codes[order[i + 1]]) continue;
      if (Allowed(i + 1 - begin, end - begin)) consider(i, medians_.CostOfBoth());
    }
    return;
  }
  medians_.Scan({order.data() + begin, end - begin});
  for (size_t i = begin; i + 1 < end; ++i) {
    if (codes[order[i]] == codes[order[i + 1]]) continue;
    const size_t left = i + 1 - begin;
    if (!Allowed(left, end - begin)) continue;
    consider(i, medians_.cost_below()[left] + medians_.cost_above()[left]);
  }
}

// Stable: both parts keep the order of every column.
size_t CartGrower::Partition(const Split& split, size_t begin, size_t end) {
  const std::vector<uint16_t>& codes = codes_[static_cast<size_t>(split.column)];
  for (size_t i = begin; i < end; ++i) {
    const uint32_t row = orders_.back()[i];
    goes_left_[row] = static_cast<char>(codes[row] <= split.low);
  }
  size_t middle = begin;
  const auto part = [&](std::vector<uint32_t>& order) {
    size_t write = begin;
    size_t held = 0;
    for (size_t i = begin; i < end; ++i) {
      const uint32_t row = order[i];
      // Both are written, one of them stays: no branch to guess wrong.
      order[write] = row;
      scratch_[held] = row;
      write += static_cast<size_t>(goes_left_[row]);
      held += 1U - static_cast<size_t>(goes_left_[row]);
    }
    std::copy_n(scratch_.begin(), held, order.begin() + static_cast<ptrdiff_t>(write));
    middle = write;
  };
  for (const uint32_t slot : scanned_) part(orders_[slot]);
  part(orders_.back());
  return middle;
}

std::vector<TreeNode> CutTree(const std::vector<TreeNode>& nodes, int max_depth, int min_split) {
  std::vector<TreeNode> cut;
  CutNode(nodes, 0, max_depth, min_split, cut);
  return cut;
}

}  // namespace reckon::learn
