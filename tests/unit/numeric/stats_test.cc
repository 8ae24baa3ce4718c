#include "numeric/stats.h"

#include <gmock/gmock.h>

#include "base/rng.h"

namespace reckon::numeric {
namespace {

TEST(StatsTest, MedianOfOddAndEvenCounts) {
  EXPECT_EQ(Median(std::vector<double>{3, 1, 2}), 2);
  EXPECT_EQ(Median(std::vector<double>{4, 1, 3, 2}), 2.5);
  EXPECT_EQ(Median(std::vector<double>{7}), 7);
}

TEST(StatsTest, DistinctSorts) {
  EXPECT_THAT(Distinct(std::vector<double>{3, 1, 3, 2, 1}), ::testing::ElementsAre(1, 2, 3));
}

TEST(StatsTest, ConformalQuantileTakesTheRankThatCoversANewValue) {
  const std::vector<double> nine{1, 2, 3, 4, 5, 6, 7, 8, 9};
  EXPECT_EQ(ConformalQuantile(nine, 0.9), 9);  // ceil(0.9 * 10) = 9th
  EXPECT_EQ(ConformalQuantile(nine, 0.5), 5);
  EXPECT_EQ(ConformalQuantile(std::vector<double>{1, 2}, 0.9), 2);  // too few: the largest
}

TEST(StatsTest, ConformalQuantileCoversAtItsLevel) {
  base::Rng rng(5);
  int covered = 0;
  constexpr int kTrials = 4000;
  for (int trial = 0; trial < kTrials; ++trial) {
    std::vector<double> seen(39);
    for (double& value : seen) value = std::abs(rng.Normal());
    if (std::abs(rng.Normal()) <= ConformalQuantile(seen, 0.9)) ++covered;
  }
  // ceil(0.9 * 40) = 36 of 40 equally likely ranks: 0.9; four standard errors are 0.019.
  EXPECT_NEAR(static_cast<double>(covered) / kTrials, 0.9, 0.019);
}

}  // namespace
}  // namespace reckon::numeric
