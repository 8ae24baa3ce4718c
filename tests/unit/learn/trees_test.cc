// The trees of boosting: splits, boosting, what model files keep of them.
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "base/rng.h"
#include "learn/repeats.h"
#include "learn/trees/boosting.h"
#include "learn/trees/tree_nodes.h"

namespace reckon::learn {
namespace {

Matrix RandomFeatures(Eigen::Index rows, Eigen::Index columns, int values, base::Rng& rng) {
  Matrix features(rows, columns);
  for (double& cell : features.reshaped()) {
    cell = std::floor(rng.Uniform() * values) / 4;
  }
  return features;
}

struct BestSplit {
  double gain = 0;
  int column = -1;
  double threshold = 0;
};

// Every threshold of every column, summed anew.
BestSplit ByBruteForce(const Matrix& features, const std::vector<GradientPair>& gradients,
                       const GradientTreeOptions& options) {
  BestSplit best;
  best.gain = 1e-6;
  for (Eigen::Index j = 0; j < features.cols(); ++j) {
    for (Eigen::Index t = 0; t < features.rows(); ++t) {
      GradientPair left;
      GradientPair right;
      double next = std::numeric_limits<double>::infinity();
      for (Eigen::Index i = 0; i < features.rows(); ++i) {
        const bool goes_left = features(i, j) <= features(t, j);
        GradientPair& side = goes_left ? left : right;
        side.g += gradients[static_cast<size_t>(i)].g;
        side.h += gradients[static_cast<size_t>(i)].h;
        if (!goes_left) next = std::min(next, features(i, j));
      }
      if (std::isinf(next) || left.h < options.min_child_weight ||
          right.h < options.min_child_weight) {
        continue;
      }
      const auto score = [&](double g, double h) { return g * g / (h + options.lambda); };
      const double gain = score(left.g, left.h) + score(right.g, right.h) -
                          score(left.g + right.g, left.h + right.h);
      if (gain > best.gain + 1e-9) {
        best = {gain, static_cast<int>(j), (features(t, j) + next) / 2};
      }
    }
  }
  return best;
}

TEST(GradientTreeTest, SplitsLikeBruteForce) {
  base::Rng rng(3);
  for (int round = 0; round < 60; ++round) {
    // Few and many values: counted in bins, and sorted.
    const Matrix features = RandomFeatures(25, 4, round % 2 == 0 ? 6 : 4000, rng);
    std::vector<GradientPair> gradients;
    for (int i = 0; i < 25; ++i) gradients.push_back({rng.Normal(), 0.5 + rng.Uniform()});
    GradientTreeOptions options;
    options.max_depth = 1;
    options.min_child_weight = 2;
    const BinnedFeatures binned(features);
    GradientTreeGrower grower(binned, options);
    std::vector<uint32_t> rows(25);
    for (uint32_t i = 0; i < 25; ++i) rows[i] = i;
    const std::vector<uint32_t> columns{0, 1, 2, 3};
    const std::vector<TreeNode> tree = grower.Grow(gradients, rows, columns);
    const BestSplit best = ByBruteForce(features, gradients, options);
    ASSERT_EQ(tree[0].left >= 0, best.column >= 0);
    if (best.column < 0) continue;
    EXPECT_EQ(tree[0].term, best.column);
    EXPECT_NEAR(tree[0].threshold, best.threshold, 1e-12);
  }
}

TEST(BoostingTest, FewerTreesAreAPrefixAndTheSameSeedTheSameTrees) {
  base::Rng rng(4);
  const Matrix features = RandomFeatures(60, 3, 9, rng);
  Vector target(60);
  for (double& y : target) y = rng.Normal();
  const Vector weight = Vector::Ones(60);
  const BinnedFeatures binned(features);
  BoostingOptions options;
  options.row_share = 0.7;
  options.column_share = 0.7;
  options.trees = 20;
  const Boosted many = Boost(binned, target, weight, options, base::Rng(9));
  options.trees = 8;
  const Boosted few = Boost(binned, target, weight, options, base::Rng(9));
  for (size_t t = 0; t < 8; ++t) {
    ASSERT_EQ(few.trees[t].size(), many.trees[t].size());
    for (size_t i = 0; i < few.trees[t].size(); ++i) {
      EXPECT_EQ(few.trees[t][i].value, many.trees[t][i].value);
      EXPECT_EQ(few.trees[t][i].threshold, many.trees[t][i].threshold);
    }
  }
}

TEST(BoostingTest, TrainingErrorFalls) {
  base::Rng rng(6);
  const Matrix features = RandomFeatures(80, 2, 12, rng);
  const Vector target = features.col(0).array().square() - features.col(1).array();
  const BinnedFeatures binned(features);
  BoostingOptions options;
  options.trees = 60;
  const Boosted boosted = Boost(binned, target, Vector::Ones(80), options, base::Rng(1));
  double before = std::numeric_limits<double>::infinity();
  std::vector<double> predicted(80, boosted.base);
  for (const auto& tree : boosted.trees) {
    double error = 0;
    for (size_t i = 0; i < 80; ++i) {
      predicted[i] += binned.Evaluate(tree, i);
      error += std::pow(predicted[i] - target(static_cast<Eigen::Index>(i)), 2);
    }
    EXPECT_LE(error, before);
    before = error;
  }
  EXPECT_LT(before / 80, 0.01);
}

TEST(TreeNodesTest, DamagedTreesAreRefused) {
  const std::vector<TreeNode> tree{
      {0, 1.5, 1, 2, 0, 4}, {-1, 0, -1, -1, 3, 2}, {-1, 0, -1, -1, 5, 2}};
  const base::Json good = TreeToJson(tree);
  ASSERT_EQ(TreeFromJson(good, 1)->size(), 3);
  EXPECT_EQ(TreeFromJson(good, 0).error().code(), base::ErrorCode::kCorrupt);
  base::Json loop = good;
  loop["left"][0] = 0;
  EXPECT_FALSE(TreeFromJson(loop, 1).ok());
  base::Json beyond = good;
  beyond["right"][0] = 3;
  EXPECT_FALSE(TreeFromJson(beyond, 1).ok());
  base::Json short_list = good;
  short_list["value"].erase(2);
  EXPECT_FALSE(TreeFromJson(short_list, 1).ok());
  EXPECT_FALSE(TreeFromJson(base::Json::array(), 1).ok());
}

TEST(RepeatsTest, EqualInputsAreOneConfiguration) {
  Matrix x(5, 2);
  x << 2, 1, 1, 1, 2, 1, 1, 2, 2, 1;
  Vector y(5);
  y << 10, 20, 40, 30, 1;
  const Configurations median = CollapseRepeats(x, y, Middle::kMedian);
  ASSERT_EQ(median.x.rows(), 3);
  EXPECT_EQ(median.target(0), 10);
  EXPECT_EQ(median.count(0), 3);
  EXPECT_EQ(median.target(1), 20);
  EXPECT_EQ(CollapseRepeats(x, y, Middle::kMean).target(0), 17);
}

}  // namespace
}  // namespace reckon::learn
