#include <cmath>

#include <gmock/gmock.h>

#include "learn/regressors/decision_tree.h"
#include "learn/regressors/linear_predictor.h"
#include "learn/regressors/registry.h"
#include "learn/trees/cart.h"
#include "tests/support/data.h"

namespace reckon::learn {
namespace {

using support::GridTable;
using support::MakeDataset;

std::unique_ptr<Predictor> FitOne(const Technique& technique, const Dataset& data,
                                  const Candidate& candidate) {
  const Roles roles = FindRoles(data.schema, {}).value();
  auto fitted = technique.Fit({data, roles, base::Rng(1)}, {candidate});
  return std::move((*fitted)[0]);
}

TEST(RidgeTest, LogScaleWithLogFeaturesIsAPowerLaw) {
  const Dataset data = MakeDataset(
      GridTable({1, 2, 4, 8}, {10, 20, 40}, 1,
                [](double w, double s) { return 3 * std::pow(s, 1.2) * std::pow(w, -0.7); }),
      "y");
  const auto predictor = FitOne(*FindTechnique("ridge").value(), data,
                                {.technique = "ridge",
                                 .scale = TargetScale::kLog,
                                 .features = {.raw = false, .log = true},
                                 .settings = {{"alpha", 1e-9}}});
  Matrix far(1, 2);
  far << 64, 100;
  const double expected = std::log(3 * std::pow(100, 1.2) * std::pow(64, -0.7));
  EXPECT_NEAR(predictor->Predict(far)(0), expected, 1e-5);
}

TEST(RidgeTest, OneDecompositionGivesTheSameAsFitsOnTheirOwn) {
  const Dataset data = MakeDataset(
      GridTable({1, 2, 4, 8}, {10, 20}, 1, [](double w, double s) { return s / w + w; }), "y");
  const Technique& ridge = *FindTechnique("ridge").value();
  const Roles roles = FindRoles(data.schema, {}).value();
  for (const CandidateGroup& group : ridge.Candidates(data, roles, {}, {})) {
    const auto together = ridge.Fit({data, roles, base::Rng(1)}, group).value();
    for (size_t i = 0; i < group.size(); ++i) {
      const auto alone = ridge.Fit({data, roles, base::Rng(1)}, {group[i]}).value();
      EXPECT_EQ(together[i]->Predict(data.x), alone[0]->Predict(data.x));
    }
  }
}

TEST(ErnestTest, FindsItsOwnLaw) {
  const Dataset data = MakeDataset(
      GridTable({1, 2, 4, 8, 16}, {10, 20, 40}, 1,
                [](double m, double s) { return 5 + 3 * s / m + 0.2 * m + 1.5 * std::log(m); }),
      "y");
  for (const double relative : {0.0, 1.0}) {
    const auto predictor =
        FitOne(*FindTechnique("ernest").value(), data,
               {.technique = "ernest", .settings = {{"levels", 0}, {"relative", relative}}});
    const auto& law = dynamic_cast<const LinearPredictor&>(*predictor);
    EXPECT_NEAR(law.intercept(), 5, 1e-6);
    EXPECT_NEAR(law.weights()(0), 3, 1e-6);
    EXPECT_NEAR(law.weights()(1), 0.2, 1e-6);
    EXPECT_NEAR(law.weights()(2), 1.5, 1e-6);
  }
}

TEST(ErnestTest, DoesNotApplyWithoutWorkers) {
  const Dataset data =
      MakeDataset(support::NumberTable({{"temperature", {1, 2, 3}}, {"y", {1, 2, 4}}}), "y");
  EXPECT_TRUE(FindTechnique("ernest").value()->Candidates(data, {}, {}, {}).empty());
}

// The best split of a node by trying every threshold of every feature.
double BruteForceGain(const Matrix& x, const Vector& y, int min_leaf) {
  const auto spread = [](const std::vector<double>& values) {
    double mean = 0;
    for (const double v : values) mean += v / static_cast<double>(values.size());
    double sum = 0;
    for (const double v : values) sum += (v - mean) * (v - mean);
    return sum;
  };
  const double whole = spread({y.begin(), y.end()});
  double best = 0;
  for (Eigen::Index t = 0; t < x.cols(); ++t) {
    for (const double threshold : x.col(t)) {
      std::vector<double> left;
      std::vector<double> right;
      for (Eigen::Index i = 0; i < x.rows(); ++i) {
        (x(i, t) <= threshold ? left : right).push_back(y(i));
      }
      if (left.size() < static_cast<size_t>(min_leaf) ||
          right.size() < static_cast<size_t>(min_leaf)) {
        continue;
      }
      best = std::max(best, whole - spread(left) - spread(right));
    }
  }
  return best;
}

TEST(TreeTest, SplitsLikeBruteForce) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    base::Rng rng(seed);
    const auto rows = static_cast<Eigen::Index>(4 + rng.Below(30));
    Matrix x(rows, 3);
    for (double& cell : x.reshaped()) cell = static_cast<double>(rng.Below(6));
    Vector y(rows);
    for (double& cell : y) cell = rng.Normal();
    const int min_leaf = static_cast<int>(1 + rng.Below(3));
    const BinnedFeatures binned(x);
    const std::vector<uint32_t> once(static_cast<size_t>(rows), 1);
    const std::vector<TreeNode> nodes =
        CartGrower(binned, y).Grow(once, {.max_depth = 1, .min_leaf = min_leaf}, base::Rng(seed));
    const double best = BruteForceGain(x, y, min_leaf);
    if (nodes.size() == 1) {
      EXPECT_NEAR(best, 0, 1e-9) << seed;
      continue;
    }
    const TreeNode& root = nodes[0];
    const TreeNode& left = nodes[static_cast<size_t>(root.left)];
    const TreeNode& right = nodes[static_cast<size_t>(root.right)];
    EXPECT_GE(std::min(left.rows, right.rows), min_leaf);
    const double gain = left.rows * std::pow(left.value - root.value, 2) +
                        right.rows * std::pow(right.value - root.value, 2);
    EXPECT_NEAR(gain, best, 1e-9 * (1 + best)) << seed;
  }
}

TEST(TreeTest, ShallowerCandidatesAreCutsOfOneTree) {
  base::Rng rng(4);
  std::vector<double> a(60);
  std::vector<double> y(60);
  for (size_t i = 0; i < a.size(); ++i) {
    a[i] = static_cast<double>(rng.Below(40));
    y[i] = a[i] * a[i] + rng.Normal();
  }
  const Dataset data = MakeDataset(support::NumberTable({{"a", a}, {"y", y}}), "y");
  const Technique& tree = *FindTechnique("tree").value();
  for (const CandidateGroup& group : tree.Candidates(data, {}, {}, {})) {
    const auto together = tree.Fit({data, {}, base::Rng(1)}, group).value();
    for (size_t i = 0; i < group.size(); ++i) {
      const auto alone = tree.Fit({data, {}, base::Rng(1)}, {group[i]}).value();
      EXPECT_EQ(together[i]->Predict(data.x), alone[0]->Predict(data.x));
    }
  }
}

TEST(RegistryTest, UnknownNamesGetASuggestion) {
  EXPECT_THAT(FindTechnique("rige").error().message(), ::testing::HasSubstr("'ridge'"));
}

}  // namespace
}  // namespace reckon::learn
