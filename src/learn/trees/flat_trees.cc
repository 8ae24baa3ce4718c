#include "learn/trees/flat_trees.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace reckon::learn {
namespace {

// So many rows walk one tree after the other while it is in the cache.
constexpr Eigen::Index kBlock = 64;
constexpr Eigen::Index kTogether = 8;

}  // namespace

FlatTrees::FlatTrees(const std::vector<std::vector<TreeNode>>& trees) {
  size_t count = 0;
  for (const auto& tree : trees) count += tree.size();
  nodes_.reserve(count);
  values_.reserve(count);
  for (const auto& tree : trees) Add(tree);
}

void FlatTrees::Add(const std::vector<TreeNode>& tree) {
  const auto root = static_cast<uint32_t>(nodes_.size());
  const auto grow = [this](size_t by) {
    nodes_.resize(nodes_.size() + by);
    values_.resize(values_.size() + by);
  };
  grow(1);
  // Breadth first: where a node of the tree goes, level by level.
  std::vector<std::pair<int, uint32_t>> level{{0, root}};
  int depth = 0;
  while (true) {
    std::vector<std::pair<int, uint32_t>> below;
    for (const auto& [from, to] : level) {
      const TreeNode& node = tree[static_cast<size_t>(from)];
      values_[to] = node.value;
      if (node.left < 0) {
        nodes_[to] = {std::numeric_limits<double>::infinity(), 0, to};
        continue;
      }
      const auto child = static_cast<uint32_t>(nodes_.size());
      nodes_[to] = {node.threshold, static_cast<uint32_t>(node.term), child};
      grow(2);
      below.emplace_back(node.left, child);
      below.emplace_back(node.right, child + 1);
    }
    if (below.empty()) break;
    level = std::move(below);
    ++depth;
  }
  trees_.push_back({root, depth});
}

void FlatTrees::AddTo(const numeric::Matrix& features, numeric::Vector& sums) const {
  const Eigen::Index columns = std::max<Eigen::Index>(features.cols(), 1);
  std::vector<double> block(static_cast<size_t>(kBlock * columns), 0.0);
  for (Eigen::Index begin = 0; begin < features.rows(); begin += kBlock) {
    const Eigen::Index rows = std::min(kBlock, features.rows() - begin);
    for (Eigen::Index j = 0; j < features.cols(); ++j) {
      for (Eigen::Index i = 0; i < rows; ++i) {
        block[static_cast<size_t>(i * columns + j)] = features(begin + i, j);
      }
    }
    const auto step = [this](const double* row, uint32_t at) {
      const Node& node = nodes_[at];
      return node.next + static_cast<uint32_t>(row[node.term] > node.threshold);
    };
    for (const Tree& tree : trees_) {
      Eigen::Index i = 0;
      // Several at once: each waits for its own cells only.
      for (; i + kTogether <= rows; i += kTogether) {
        std::array<uint32_t, static_cast<size_t>(kTogether)> at;
        at.fill(tree.root);
        const double* first = block.data() + i * columns;
        for (int depth = 0; depth < tree.depth; ++depth) {
          for (size_t k = 0; k < at.size(); ++k) {
            at[k] = step(first + static_cast<Eigen::Index>(k) * columns, at[k]);
          }
        }
        for (size_t k = 0; k < at.size(); ++k) {
          sums(begin + i + static_cast<Eigen::Index>(k)) += values_[at[k]];
        }
      }
      for (; i < rows; ++i) {
        uint32_t at = tree.root;
        for (int depth = 0; depth < tree.depth; ++depth) at = step(block.data() + i * columns, at);
        sums(begin + i) += values_[at];
      }
    }
  }
}

}  // namespace reckon::learn
