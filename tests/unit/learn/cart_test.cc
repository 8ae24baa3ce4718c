// Trees by squared and absolute error, forests of them, and the published grid that uses both.
#include "learn/trees/cart.h"

#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>

#include "base/progress.h"
#include "learn/regressors/registry.h"
#include "learn/search/presets.h"
#include "learn/search/search.h"
#include "tests/support/data.h"

namespace reckon::learn {
namespace {

// Every row as often as it is counted.
std::vector<double> Expand(const std::vector<size_t>& rows, const std::vector<uint32_t>& count,
                           const Vector& y) {
  std::vector<double> sample;
  for (const size_t row : rows) {
    sample.insert(sample.end(), count[row], y(static_cast<Eigen::Index>(row)));
  }
  std::sort(sample.begin(), sample.end());
  return sample;
}

double Centre(const std::vector<double>& sample, Criterion criterion) {
  if (criterion == Criterion::kAbsolute) {
    const size_t n = sample.size();
    return (sample[(n - 1) / 2] + sample[n / 2]) / 2;
  }
  double sum = 0;
  for (const double value : sample) sum += value;
  return sum / static_cast<double>(sample.size());
}

double Cost(const std::vector<double>& sample, Criterion criterion) {
  const double centre = Centre(sample, criterion);
  double cost = 0;
  for (const double value : sample) {
    const double off = std::fabs(value - centre);
    cost += criterion == Criterion::kAbsolute ? off : off * off;
  }
  return cost;
}

struct Drawn {
  Matrix x;
  Vector y;
  std::vector<uint32_t> count;
};

Drawn DrawNode(base::Rng& rng) {
  const auto rows = static_cast<Eigen::Index>(4 + rng.Below(40));
  Drawn drawn{Matrix(rows, 3), Vector(rows), {}};
  for (double& cell : drawn.x.reshaped()) cell = static_cast<double>(rng.Below(8));
  // Ties among targets, too.
  for (double& cell : drawn.y) cell = std::floor(4 * rng.Normal()) / 4;
  for (Eigen::Index i = 0; i < rows; ++i) {
    drawn.count.push_back(static_cast<uint32_t>(rng.Below(3)));
  }
  drawn.count[0] = 1;
  return drawn;
}

double BruteForceGain(const Drawn& drawn, Criterion criterion, size_t min_leaf) {
  std::vector<size_t> all;
  for (size_t i = 0; i < drawn.count.size(); ++i) {
    if (drawn.count[i] > 0) all.push_back(i);
  }
  const double whole = Cost(Expand(all, drawn.count, drawn.y), criterion);
  double best = 0;
  for (Eigen::Index j = 0; j < drawn.x.cols(); ++j) {
    for (const double threshold : drawn.x.col(j)) {
      std::vector<size_t> left;
      std::vector<size_t> right;
      for (const size_t row : all) {
        (drawn.x(static_cast<Eigen::Index>(row), j) <= threshold ? left : right).push_back(row);
      }
      if (left.size() < min_leaf || right.size() < min_leaf) continue;
      best = std::max(best, whole - Cost(Expand(left, drawn.count, drawn.y), criterion) -
                                Cost(Expand(right, drawn.count, drawn.y), criterion));
    }
  }
  return best;
}

TEST(CartTest, SplitsLikeBruteForceWithCountsAndBothErrors) {
  base::Rng rng(11);
  for (int round = 0; round < 400; ++round) {
    const Drawn drawn = DrawNode(rng);
    const BinnedFeatures binned(drawn.x);
    CartGrower grower(binned, drawn.y);
    const int min_leaf = 1 + round % 3;
    for (const Criterion criterion : {Criterion::kSquared, Criterion::kAbsolute}) {
      const std::vector<TreeNode> nodes =
          grower.Grow(drawn.count, {.criterion = criterion, .max_depth = 1, .min_leaf = min_leaf},
                      base::Rng(1));
      const double best = BruteForceGain(drawn, criterion, static_cast<size_t>(min_leaf));
      if (nodes.size() == 1) {
        EXPECT_NEAR(best, 0, 1e-9);
        continue;
      }
      std::vector<size_t> left;
      std::vector<size_t> right;
      for (size_t i = 0; i < drawn.count.size(); ++i) {
        if (drawn.count[i] == 0) continue;
        const bool goes_left =
            drawn.x(static_cast<Eigen::Index>(i), nodes[0].term) <= nodes[0].threshold;
        (goes_left ? left : right).push_back(i);
      }
      std::vector<size_t> all = left;
      all.insert(all.end(), right.begin(), right.end());
      const auto cost = [&](const std::vector<size_t>& rows) {
        return Cost(Expand(rows, drawn.count, drawn.y), criterion);
      };
      EXPECT_NEAR(cost(all) - cost(left) - cost(right), best, 1e-9 * (1 + best));
      const auto centre = [&](const std::vector<size_t>& rows) {
        return Centre(Expand(rows, drawn.count, drawn.y), criterion);
      };
      EXPECT_NEAR(nodes[0].value, centre(all), 1e-12);
      EXPECT_NEAR(nodes[static_cast<size_t>(nodes[0].left)].value, centre(left), 1e-12);
      EXPECT_NEAR(nodes[static_cast<size_t>(nodes[0].right)].value, centre(right), 1e-12);
    }
  }
}

TEST(CartTest, ACutTreeIsTheOneGrownWithSmallerLimits) {
  base::Rng rng(12);
  for (int round = 0; round < 50; ++round) {
    const Drawn drawn = DrawNode(rng);
    const BinnedFeatures binned(drawn.x);
    CartGrower grower(binned, drawn.y);
    CartOptions options{.columns_a_split = round % 2 == 0 ? 0U : 2U};
    const std::vector<TreeNode> whole = grower.Grow(drawn.count, options, base::Rng(3));
    options.max_depth = 3;
    options.min_split = 5;
    const std::vector<TreeNode> small = grower.Grow(drawn.count, options, base::Rng(3));
    const std::vector<TreeNode> cut = CutTree(whole, 3, 5);
    ASSERT_EQ(cut.size(), small.size());
    for (size_t i = 0; i < cut.size(); ++i) {
      EXPECT_EQ(cut[i].term, small[i].term);
      EXPECT_EQ(cut[i].threshold, small[i].threshold);
      EXPECT_EQ(cut[i].value, small[i].value);
    }
  }
}

TEST(BinnedFeaturesTest, ColumnsOfOneOrderAreOne) {
  Matrix x(4, 5);
  for (Eigen::Index i = 0; i < 4; ++i) {
    const double value = static_cast<double>(i * i + 1);
    x.row(i) << value, std::log(value), 1 / value, 7, std::fabs(value - 4);
  }
  const std::vector<uint32_t> all{0, 1, 2, 3, 4};
  EXPECT_THAT(BinnedFeatures(x).DistinctOrders(all), testing::ElementsAre(0U, 4U));
  const std::vector<uint32_t> some{2, 1};
  EXPECT_THAT(BinnedFeatures(x).DistinctOrders(some), testing::ElementsAre(2U));
}

Dataset Scaling() {
  return support::MakeDataset(
      support::GridTable({1, 2, 4, 8, 16}, {10, 20, 40, 80}, 2,
                         [](double w, double s) { return 5 + 3 * s / w + 0.2 * w; }),
      "y");
}

TEST(ForestTest, PartsOfOneForestAreForestsOfTheirOwn) {
  const Dataset data = Scaling();
  const Technique& forest = *FindTechnique("forest").value();
  const Preset preset = FindPreset("ray-paper", data).value();
  for (const CandidateGroup& group : preset.groups) {
    if (group.front().technique != "forest") continue;
    const auto together = forest.Fit({data, {}, base::Rng(5)}, group).value();
    for (size_t c = 0; c < group.size(); c += 3) {
      const auto alone = forest.Fit({data, {}, base::Rng(5)}, {group[c]}).value();
      EXPECT_EQ(together[c]->Predict(data.x), alone[0]->Predict(data.x)) << group[c].Describe();
    }
  }
}

TEST(PresetTest, RayPaperIsTableTwo) {
  const Preset preset = FindPreset("ray-paper", Scaling()).value();
  std::map<std::string, size_t> count;
  for (const CandidateGroup& group : preset.groups) count[group.front().technique] += group.size();
  EXPECT_THAT(count,
              testing::ElementsAre(testing::Pair("forest", 24), testing::Pair("ridge", 3),
                                   testing::Pair("tree", 720), testing::Pair("xgboost", 72)));
  EXPECT_EQ(preset.folds, 5);
  EXPECT_EQ(FindPreset("ray-papper", Scaling()).error().code(), base::ErrorCode::kBadInput);
}

// Scikit-learn's penalty stands beside a sum over rows: with its alpha our weights are those of the
// normal equations (X'X + alpha I) w = X'y on centred columns of unit deviation.
TEST(PresetTest, RidgePenaltiesAreThoseOfASum) {
  const Dataset data =
      support::MakeDataset(support::GridTable({1, 2, 4, 8}, {10, 20, 40, 80, 160}, 1,
                                              [](double w, double s) { return 3 + s / w; }),
                           "y");
  std::set<double> penalties;
  for (const CandidateGroup& group : FindPreset("ray-paper", data).value().groups) {
    for (const Candidate& candidate : group) {
      if (candidate.technique == "ridge") penalties.insert(candidate.settings.at("alpha"));
    }
  }
  // Four of five folds of 20 rows.
  EXPECT_THAT(penalties, ::testing::ElementsAre(0.01 / 16, 0.1 / 16, 1.0 / 16));
}

TEST(PresetTest, TheBestOfTheGridIsTakenByPercentageError) {
  SearchOptions options;
  options.preset = "ray-paper";
  options.jobs = 2;
  base::NoProgress progress;
  const SearchOutcome outcome = Search(Scaling(), options, {}, progress).value();
  ASSERT_EQ(outcome.contenders.size(), 4);
  for (size_t i = 1; i < 4; ++i) {
    EXPECT_LE(outcome.contenders[i - 1].selection.mape_percent,
              outcome.contenders[i].selection.mape_percent);
  }
}

}  // namespace
}  // namespace reckon::learn
