#include "learn/regressors/decision_tree.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "learn/regressors/tree_predictor.h"

namespace reckon::learn {
namespace {

using Index = Eigen::Index;

constexpr std::array<int, 5> kDepths{2, 3, 5, 10, 20};
constexpr std::array<int, 4> kLeaves{1, 2, 5, 10};
constexpr size_t kMostTerms = 5000;

struct Split {
  int term = -1;
  double threshold = 0;
  double gain = 0;  // fall of the sum of squared errors
};

// Grows one tree. Every feature's rows are sorted once; a node is a range of all these orders,
// partitioned in place, so that a level of the tree costs rows x terms.
class Grower {
 public:
  Grower(const Matrix& features, const Vector& y, int max_depth, int min_leaf)
      : features_(features), y_(y), max_depth_(max_depth), min_leaf_(min_leaf) {
    orders_.resize(static_cast<size_t>(features.cols()));
    for (Index t = 0; t < features.cols(); ++t) {
      std::vector<int>& order = orders_[static_cast<size_t>(t)];
      order.resize(static_cast<size_t>(features.rows()));
      std::iota(order.begin(), order.end(), 0);
      std::stable_sort(order.begin(), order.end(),
                       [&](int a, int b) { return features(a, t) < features(b, t); });
    }
    goes_left_.resize(static_cast<size_t>(features.rows()));
    scratch_.resize(static_cast<size_t>(features.rows()));
  }

  std::vector<TreeNode> Grow() {
    AddNode(0, static_cast<size_t>(features_.rows()), 0);
    return std::move(nodes_);
  }

 private:
  int AddNode(size_t begin, size_t end, int depth) {
    const int id = static_cast<int>(nodes_.size());
    TreeNode node;
    node.rows = static_cast<int>(end - begin);
    node.value = MeanOf(begin, end);
    nodes_.push_back(node);
    if (depth >= max_depth_ || node.rows < 2 * min_leaf_) return id;
    const Split split = BestSplit(begin, end, node.value);
    if (split.term < 0) return id;
    const size_t middle = Partition(split, begin, end);
    nodes_[static_cast<size_t>(id)].term = split.term;
    nodes_[static_cast<size_t>(id)].threshold = split.threshold;
    const int left = AddNode(begin, middle, depth + 1);
    const int right = AddNode(middle, end, depth + 1);
    nodes_[static_cast<size_t>(id)].left = left;
    nodes_[static_cast<size_t>(id)].right = right;
    return id;
  }

  double MeanOf(size_t begin, size_t end) const {
    // Summed in the order of rows, so that the value does not depend on how the node was reached.
    std::vector<int> rows(orders_.front().begin() + static_cast<ptrdiff_t>(begin),
                          orders_.front().begin() + static_cast<ptrdiff_t>(end));
    std::sort(rows.begin(), rows.end());
    double sum = 0;
    for (const int row : rows) sum += y_(row);
    return sum / static_cast<double>(end - begin);
  }

  Split BestSplit(size_t begin, size_t end, double mean) const {
    const auto count = static_cast<double>(end - begin);
    double total_square = 0;
    for (size_t i = begin; i < end; ++i) {
      const double off = y_(orders_.front()[i]) - mean;
      total_square += off * off;
    }
    Split best;
    // Gains below rounding are no gains: a pure node stays a leaf.
    best.gain = 1e-12 * total_square;
    for (size_t t = 0; t < orders_.size(); ++t) {
      const std::vector<int>& order = orders_[t];
      const auto column = features_.col(static_cast<Index>(t));
      double left_sum = 0;  // of y - mean
      for (size_t i = begin; i + 1 < end; ++i) {
        left_sum += y_(order[i]) - mean;
        const size_t left = i + 1 - begin;
        if (left < static_cast<size_t>(min_leaf_)) continue;
        if (end - i - 1 < static_cast<size_t>(min_leaf_)) break;
        const double here = column(order[i]);
        const double next = column(order[i + 1]);
        if (!(here < next)) continue;
        const auto l = static_cast<double>(left);
        // The two parts' means lie left_sum/l and -left_sum/(n-l) off the node's.
        const double gain = left_sum * left_sum * (1 / l + 1 / (count - l));
        if (gain > best.gain * (1 + 1e-12)) {
          double threshold = here + (next - here) / 2;
          if (!(threshold < next)) threshold = here;
          best = {static_cast<int>(t), threshold, gain};
        }
      }
    }
    return best;
  }

  // Stable: both parts keep the order of every feature.
  size_t Partition(const Split& split, size_t begin, size_t end) {
    const auto column = features_.col(split.term);
    for (size_t i = begin; i < end; ++i) {
      const int row = orders_.front()[i];
      goes_left_[static_cast<size_t>(row)] = column(row) <= split.threshold;
    }
    size_t middle = begin;
    for (std::vector<int>& order : orders_) {
      size_t write = begin;
      size_t held = 0;
      for (size_t i = begin; i < end; ++i) {
        if (goes_left_[static_cast<size_t>(order[i])]) {
          order[write++] = order[i];
        } else {
          scratch_[held++] = order[i];
        }
      }
      std::copy_n(scratch_.begin(), held, order.begin() + static_cast<ptrdiff_t>(write));
      middle = write;
    }
    return middle;
  }

  const Matrix& features_;
  const Vector& y_;
  int max_depth_;
  int min_leaf_;
  std::vector<std::vector<int>> orders_;
  std::vector<char> goes_left_;
  std::vector<int> scratch_;
  std::vector<TreeNode> nodes_;
};

// The tree that would have been grown with a smaller depth: greedy growth makes it a prefix.
void CutAtDepth(const std::vector<TreeNode>& nodes, int id, int depth, std::vector<TreeNode>& out) {
  const auto here = out.size();
  out.push_back(nodes[static_cast<size_t>(id)]);
  const TreeNode& node = nodes[static_cast<size_t>(id)];
  if (depth == 0 || node.left < 0) {
    out[here].term = -1;
    out[here].threshold = 0;
    out[here].left = out[here].right = -1;
    return;
  }
  out[here].left = static_cast<int>(out.size());
  CutAtDepth(nodes, node.left, depth - 1, out);
  out[here].right = static_cast<int>(out.size());
  CutAtDepth(nodes, node.right, depth - 1, out);
}

}  // namespace

std::vector<TreeNode> GrowTree(const Matrix& features, const Vector& y, int max_depth,
                               int min_leaf) {
  return Grower(features, y, max_depth, min_leaf).Grow();
}

std::vector<CandidateGroup> DecisionTreeTechnique::Candidates(
    const Dataset& data, const Roles&, const Question&, const Restrictions& restrictions) const {
  std::vector<CandidateGroup> groups;
  FeatureOptions features = restrictions.features.value_or(FeatureOptions{});
  if (restrictions.degree) features.degree = *restrictions.degree;
  if (!MakeFeatures(data, features, kMostTerms)) return groups;
  for (const TargetScale scale : {TargetScale::kLinear, TargetScale::kLog}) {
    if (restrictions.scale && *restrictions.scale != scale) continue;
    if (scale == TargetScale::kLog && data.y.minCoeff() <= 0) continue;
    for (const int min_leaf : kLeaves) {
      if (static_cast<size_t>(2 * min_leaf) > data.rows()) continue;
      CandidateGroup group;
      for (const int depth : kDepths) {
        group.push_back({.technique = std::string(name()),
                         .scale = scale,
                         .features = features,
                         .settings = {{"max_depth", depth}, {"min_leaf", min_leaf}}});
      }
      groups.push_back(std::move(group));
    }
  }
  return groups;
}

base::Result<std::vector<std::unique_ptr<Predictor>>> DecisionTreeTechnique::Fit(
    const FitInput& input, const CandidateGroup& group) const {
  const Candidate& first = group.front();
  const std::optional<FeatureMap> features = MakeFeatures(input.data, first.features, kMostTerms);
  if (!features) {
    return base::Error(base::ErrorCode::kFailed, "too many product features for a tree");
  }
  int deepest = 0;
  for (const Candidate& candidate : group) {
    deepest = std::max(deepest, static_cast<int>(candidate.settings.at("max_depth")));
  }
  const std::vector<TreeNode> nodes =
      GrowTree(features->Apply(input.data.x), ToScale(input.data.y, first.scale), deepest,
               static_cast<int>(first.settings.at("min_leaf")));
  std::vector<std::unique_ptr<Predictor>> predictors;
  for (const Candidate& candidate : group) {
    std::vector<TreeNode> cut;
    CutAtDepth(nodes, 0, static_cast<int>(candidate.settings.at("max_depth")), cut);
    predictors.push_back(std::make_unique<TreePredictor>(*features, std::move(cut)));
  }
  return predictors;
}

base::Result<std::unique_ptr<Predictor>> DecisionTreeTechnique::Load(const base::Json& json,
                                                                     const Schema& schema) const {
  return TreePredictor::Load(json, schema);
}

}  // namespace reckon::learn
