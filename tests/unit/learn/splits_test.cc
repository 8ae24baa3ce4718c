#include "learn/validate/splits.h"

#include <algorithm>
#include <numeric>
#include <set>

#include <gmock/gmock.h>

#include "tests/support/data.h"

namespace reckon::learn {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Dataset Grid(int repeats = 1) {
  return support::MakeDataset(
      support::GridTable({1, 2, 4, 8, 16}, {10, 20, 40}, repeats,
                         [n = 0](double w, double s) mutable { return s / w + 0.01 * n++; }),
      "y");
}

void ExpectProper(const Split& split, size_t rows) {
  std::vector<size_t> all = split.train;
  all.insert(all.end(), split.test.begin(), split.test.end());
  std::sort(all.begin(), all.end());
  EXPECT_TRUE(std::adjacent_find(all.begin(), all.end()) == all.end()) << "a row is in both parts";
  EXPECT_EQ(all.size(), rows);
  EXPECT_FALSE(split.train.empty());
  EXPECT_FALSE(split.test.empty());
}

TEST(SplitsTest, EverySplitIsDisjointAndComplete) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    const base::Rng rng(seed);
    const Dataset data = Grid(static_cast<int>(1 + seed % 3));
    ExpectProper(HoldOutSplit(data.rows(), 0.2, rng).value(), data.rows());
    for (const Split& split : KFoldSplits(data.rows(), 2 + seed % 9, rng).value()) {
      ExpectProper(split, data.rows());
    }
    for (const Split& split : GroupedKFoldSplits(data, 5, rng)) ExpectProper(split, data.rows());
    for (const Question& question : {Question{}, Question{0}, Question{1}}) {
      for (const Split& split : SelectionSplits(data, question, rng).splits) {
        ExpectProper(split, data.rows());
      }
    }
  }
}

TEST(SplitsTest, HoldingGroupsOutKeepsThemTogether) {
  std::vector<size_t> groups;
  for (size_t run = 0; run < 40; ++run) {
    for (size_t host = 0; host <= run % 4; ++host) groups.push_back(1000 + run);
  }
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Split split = GroupedHoldOutSplit(groups, 0.2, base::Rng(seed)).value();
    ExpectProper(split, groups.size());
    EXPECT_NEAR(static_cast<double>(split.test.size()), 20, 3);
    for (const size_t test : split.test) {
      for (const size_t train : split.train) ASSERT_NE(groups[test], groups[train]);
    }
  }
  EXPECT_FALSE(GroupedHoldOutSplit(std::vector<size_t>{7, 7, 7}, 0.2, base::Rng(1)).ok());
  EXPECT_FALSE(GroupedHoldOutSplit(groups, 1.5, base::Rng(1)).ok());
}

TEST(SplitsTest, FoldsTestEveryRowOnceAndAreEven) {
  const auto folds = KFoldSplits(13, 5, base::Rng(1)).value();
  std::multiset<size_t> tested;
  for (const Split& fold : folds) {
    tested.insert(fold.test.begin(), fold.test.end());
    EXPECT_GE(fold.test.size(), 2);
    EXPECT_LE(fold.test.size(), 3);
  }
  EXPECT_EQ(tested.size(), 13);
  EXPECT_EQ(std::set<size_t>(tested.begin(), tested.end()).size(), 13);
  EXPECT_FALSE(KFoldSplits(3, 4, base::Rng(1)).ok());
  EXPECT_FALSE(KFoldSplits(3, 1, base::Rng(1)).ok());
}

void ExpectRepeatsTogether(const Dataset& data) {
  for (const Split& split : GroupedKFoldSplits(data, 5, base::Rng(2))) {
    ExpectProper(split, data.rows());
    std::set<std::pair<double, double>> trained;
    for (const size_t row : split.train) {
      trained.insert(
          {data.x(static_cast<Eigen::Index>(row), 0), data.x(static_cast<Eigen::Index>(row), 1)});
    }
    for (const size_t row : split.test) {
      EXPECT_FALSE(trained.contains(
          {data.x(static_cast<Eigen::Index>(row), 0), data.x(static_cast<Eigen::Index>(row), 1)}));
    }
  }
}

TEST(SplitsTest, GroupedFoldsKeepRepeatsTogether) {
  ExpectRepeatsTogether(Grid(4));
  const std::vector<double> workers{1, 2, 4, 8};
  for (size_t configurations = 2; configurations <= 4; ++configurations) {
    const std::vector<double> few(workers.begin(),
                                  workers.begin() + static_cast<ptrdiff_t>(configurations));
    const Dataset data = support::MakeDataset(
        support::GridTable(few, {10}, 6, [](double w, double s) { return s / w; }), "y");
    ExpectRepeatsTogether(data);
    EXPECT_EQ(GroupedKFoldSplits(data, 5, base::Rng(2)).size(), configurations);
  }
}

TEST(SplitsTest, InterpolationNeverHoldsOutTheEnds) {
  const Dataset data = Grid();
  const Split split = InterpolationSplit(data, 0, {}).value();
  for (const size_t row : split.test) {
    const double workers = data.x(static_cast<Eigen::Index>(row), 0);
    EXPECT_TRUE(workers == 2 || workers == 8);
  }
  EXPECT_EQ(InterpolationSplit(data, 0, {4}).value().test.size(), 3);
  for (const double end : {1.0, 16.0}) {
    const auto refused = InterpolationSplit(data, 0, {4, end});
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message(), HasSubstr("end point"));
  }
  EXPECT_THAT(InterpolationSplit(data, 0, {3}).error().message(), HasSubstr("no row has"));
}

TEST(SplitsTest, ExtrapolationTrainsOnOneSideOnly) {
  const Dataset data = Grid();
  const Split above = ExtrapolationSplit(data, 0, Beyond::kAbove, 4).value();
  for (const size_t row : above.train) EXPECT_LE(data.x(static_cast<Eigen::Index>(row), 0), 4);
  for (const size_t row : above.test) EXPECT_GT(data.x(static_cast<Eigen::Index>(row), 0), 4);
  EXPECT_FALSE(ExtrapolationSplit(data, 0, Beyond::kAbove, 16).ok());
  EXPECT_FALSE(ExtrapolationSplit(data, 0, Beyond::kBelow, 1).ok());
  EXPECT_EQ(DefaultThreshold(data, 0).value(), 8);
}

TEST(SplitsTest, SelectionForExtrapolationTestsTheLargestValues) {
  const Dataset data = Grid();
  const SelectionPlan plan = SelectionSplits(data, {0}, base::Rng(1));
  const auto& splits = plan.splits;
  ASSERT_EQ(splits.size(), 2);
  for (const Split& split : splits) {
    double largest_trained = 0;
    double smallest_tested = 1e9;
    for (const size_t row : split.train) {
      largest_trained = std::max(largest_trained, data.x(static_cast<Eigen::Index>(row), 0));
    }
    for (const size_t row : split.test) {
      smallest_tested = std::min(smallest_tested, data.x(static_cast<Eigen::Index>(row), 0));
    }
    EXPECT_LT(largest_trained, smallest_tested);
  }
  EXPECT_TRUE(plan.beyond);
  EXPECT_EQ(plan.note, "");
}

TEST(SplitsTest, TooFewValuesFallBackToFoldsWithANote) {
  const Dataset data = support::MakeDataset(
      support::GridTable({1, 2}, {10, 20, 40}, 1, [](double w, double s) { return s / w; }), "y");
  const SelectionPlan plan = SelectionSplits(data, {0}, base::Rng(1));
  EXPECT_EQ(plan.splits.size(), 5);
  EXPECT_FALSE(plan.beyond);
  EXPECT_THAT(plan.note, HasSubstr("too few"));
}

}  // namespace
}  // namespace reckon::learn
