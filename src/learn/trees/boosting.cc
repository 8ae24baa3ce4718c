#include "learn/trees/boosting.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learn/trees/tree_nodes.h"

namespace reckon::learn {
namespace {

// `share` of 0..count-1, ascending; all of them when the share is 1.
std::vector<uint32_t> Draw(size_t count, double share, base::Rng& rng) {
  std::vector<uint32_t> drawn;
  if (share >= 1) {
    drawn.resize(count);
    std::iota(drawn.begin(), drawn.end(), 0U);
    return drawn;
  }
  const auto size =
      std::max<size_t>(1, static_cast<size_t>(std::ceil(share * static_cast<double>(count))));
  drawn.reserve(size);
  // One after the other with the probability that fills the rest: in order without sorting (Knuth,
  // The Art of Computer Programming 2, algorithm 3.4.2 S).
  for (size_t i = 0; drawn.size() < size; ++i) {
    if (rng.Below(count - i) < size - drawn.size()) drawn.push_back(static_cast<uint32_t>(i));
  }
  return drawn;
}

}  // namespace

Boosted Boost(const BinnedFeatures& features, const numeric::Vector& target,
              const numeric::Vector& weight, const BoostingOptions& options, base::Rng rng) {
  const auto rows = static_cast<size_t>(target.size());
  Boosted out;
  out.base = options.start ? *options.start : target.dot(weight) / weight.sum();
  std::vector<double> predicted(rows, out.base);
  std::vector<GradientPair> gradients(rows);
  GradientTreeGrower grower(features, options.tree);
  const bool sampled = options.row_share < 1;
  std::vector<char> seen(rows);
  for (int t = 0; t < options.trees; ++t) {
    for (size_t i = 0; i < rows; ++i) {
      const double w = weight(static_cast<Eigen::Index>(i));
      double off = predicted[i] - target(static_cast<Eigen::Index>(i));
      if (options.floats) off = static_cast<float>(off);
      gradients[i] = {w * off, w};
    }
    const std::vector<uint32_t> drawn = Draw(rows, options.row_share, rng);
    const std::vector<uint32_t> columns = Draw(features.columns(), options.column_share, rng);
    std::vector<TreeNode> tree = grower.Grow(gradients, drawn, columns);
    grower.AddTo(predicted, options.rate);
    for (TreeNode& node : tree) node.value *= options.rate;
    if (options.floats) {
      for (TreeNode& node : tree) node.value = static_cast<float>(node.value);
      for (double& sum : predicted) sum = static_cast<float>(sum);
    }
    if (sampled) {
      std::fill(seen.begin(), seen.end(), 0);
      for (const uint32_t row : drawn) seen[row] = 1;
      for (size_t i = 0; i < rows; ++i) {
        if (seen[i] == 0) predicted[i] += features.Evaluate(tree, i);
      }
    }
    out.trees.push_back(std::move(tree));
  }
  return out;
}

}  // namespace reckon::learn
