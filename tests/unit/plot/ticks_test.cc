#include "plot/ticks.h"

#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "plot/tick_labels.h"

namespace reckon::plot {
namespace {

using testing::ElementsAre;

// Whether `step` is 1, 2 or 5 times a power of ten.
bool IsNiceStep(double step) {
  const double exponent = std::floor(std::log10(step) + 1e-9);
  const double mantissa = step / std::pow(10.0, exponent);
  return std::fabs(mantissa - 1) < 1e-6 || std::fabs(mantissa - 2) < 1e-6 ||
         std::fabs(mantissa - 5) < 1e-6;
}

struct Range {
  double lower, upper;
};

// Ranges of every size and place that an axis may ask for.
std::vector<Range> ManyRanges() {
  base::Rng rng(7);
  std::vector<Range> ranges;
  for (int i = 0; i < 5000; ++i) {
    const double width = std::pow(10.0, 30 * rng.Uniform() - 15);
    const double place = 2 * rng.Uniform() - 1;
    const double distance = std::pow(10.0, 6 * rng.Uniform() - 3);
    ranges.push_back({place * width * distance, place * width * distance + width});
  }
  return ranges;
}

TEST(LinearTicks, OfFamiliarRanges) {
  EXPECT_THAT(LinearTicks(0, 10, TickFit::kCover), ElementsAre(0, 2, 4, 6, 8, 10));
  EXPECT_THAT(LinearTicks(1, 64, TickFit::kInside), ElementsAre(10, 20, 30, 40, 50, 60));
  EXPECT_THAT(LinearTicks(-3, 4, TickFit::kCover), ElementsAre(-3, -2, -1, 0, 1, 2, 3, 4));
  // Exactly the doubles a reader would type.
  EXPECT_THAT(LinearTicks(0, 0.5, TickFit::kCover), ElementsAre(0, 0.1, 0.2, 0.3, 0.4, 0.5));
}

TEST(LinearTicks, CoverTheRangeWithFewNiceSteps) {
  for (const auto& [lower, upper] : ManyRanges()) {
    SCOPED_TRACE(testing::Message() << lower << " to " << upper);
    const std::vector<double> ticks = LinearTicks(lower, upper, TickFit::kCover);
    ASSERT_GE(ticks.size(), 3U);
    ASSERT_LE(ticks.size(), 10U);
    const double step = ticks[1] - ticks[0];
    EXPECT_TRUE(IsNiceStep(step)) << step;
    EXPECT_LE(ticks.front(), lower + 1e-5 * step);
    EXPECT_GE(ticks.back(), upper - 1e-5 * step);
    EXPECT_GT(ticks.front() + step, lower - 1e-5 * step) << "one step too many";
    for (size_t i = 1; i < ticks.size(); ++i) {
      EXPECT_NEAR(ticks[i] - ticks[i - 1], step, 1e-6 * step);
    }
  }
}

TEST(LinearTicks, InsideStayInside) {
  for (const auto& [lower, upper] : ManyRanges()) {
    SCOPED_TRACE(testing::Message() << lower << " to " << upper);
    const std::vector<double> ticks = LinearTicks(lower, upper, TickFit::kInside);
    ASSERT_GE(ticks.size(), 3U);
    ASSERT_LE(ticks.size(), 10U);
    const double step = ticks[1] - ticks[0];
    EXPECT_TRUE(IsNiceStep(step)) << step;
    EXPECT_GE(ticks.front(), lower - 1e-5 * step);
    EXPECT_LE(ticks.back(), upper + 1e-5 * step);
  }
}

TEST(LinearTicks, KeepToTheSmallestStep) {
  EXPECT_THAT(LinearTicks(1, 3, TickFit::kInside, 1), ElementsAre(1, 2, 3));
  EXPECT_THAT(LinearTicks(1, 2, TickFit::kInside, 1), ElementsAre(1, 2));
}

TEST(LogTicks, OfFamiliarRanges) {
  EXPECT_THAT(LogTicks(1, 100), ElementsAre(1, 2, 5, 10, 20, 50, 100));
  EXPECT_THAT(LogTicks(1, 1e5), ElementsAre(1, 10, 100, 1e3, 1e4, 1e5));
  EXPECT_THAT(LogTicks(20, 70), ElementsAre(20, 30, 40, 50, 60, 70));
  EXPECT_THAT(LogTicks(1e-9, 1e12), ElementsAre(1e-9, 1e-6, 1e-3, 1, 1e3, 1e6, 1e9, 1e12));
}

TEST(LogTicks, StayInsideAndAreFew) {
  base::Rng rng(8);
  for (int i = 0; i < 5000; ++i) {
    const double lower = std::pow(10.0, 40 * rng.Uniform() - 20);
    const double upper = lower * std::pow(10.0, 0.01 + 25 * rng.Uniform() * rng.Uniform());
    SCOPED_TRACE(testing::Message() << lower << " to " << upper);
    const std::vector<double> ticks = LogTicks(lower, upper);
    ASSERT_GE(ticks.size(), 3U);
    ASSERT_LE(ticks.size(), 10U);
    EXPECT_GE(ticks.front(), lower * (1 - 1e-5));
    EXPECT_LE(ticks.back(), upper * (1 + 1e-5));
    EXPECT_TRUE(std::is_sorted(ticks.begin(), ticks.end()));
  }
}

TEST(PowerOfTwoTicks, DoubleOrSkip) {
  EXPECT_THAT(PowerOfTwoTicks(1, 64), ElementsAre(1, 2, 4, 8, 16, 32, 64));
  EXPECT_THAT(PowerOfTwoTicks(1, 4096), ElementsAre(1, 4, 16, 64, 256, 1024, 4096));
  EXPECT_THAT(PowerOfTwoTicks(0.5, 3), ElementsAre(0.5, 1, 2));
}

TEST(IsPowerOfTwo, KnowsThem) {
  for (const double yes : {1.0, 2.0, 64.0, 0.25, 0x1p300}) EXPECT_TRUE(IsPowerOfTwo(yes)) << yes;
  for (const double no : {0.0, -2.0, 3.0, 24.0, 0.1}) EXPECT_FALSE(IsPowerOfTwo(no)) << no;
  EXPECT_FALSE(IsPowerOfTwo(std::nan("")));
  EXPECT_FALSE(IsPowerOfTwo(INFINITY));
}

TEST(LinearTickLabels, ShareOneForm) {
  EXPECT_THAT(LinearTickLabels({0, 0.5, 1}), ElementsAre("0.0", "0.5", "1.0"));
  EXPECT_THAT(LinearTickLabels({0, 100, 200}), ElementsAre("0", "100", "200"));
  EXPECT_THAT(LinearTickLabels({-2, 0, 2}), ElementsAre("−2", "0", "2"));
  EXPECT_THAT(LinearTickLabels({5000, 10000}), ElementsAre("5,000", "10,000"));
  EXPECT_THAT(LinearTickLabels({-1000000, 0}), ElementsAre("−1,000,000", "0"));
  EXPECT_THAT(LinearTickLabels({1000, 2000}), ElementsAre("1000", "2000"));
  EXPECT_THAT(LinearTickLabels({0, 1e-5, 2e-5}), ElementsAre("0", "1×10⁻⁵", "2×10⁻⁵"));
  EXPECT_THAT(LinearTickLabels({0, 5e11, 1e12}), ElementsAre("0", "0.5×10¹²", "1.0×10¹²"));
  EXPECT_THAT(LinearTickLabels({0}), ElementsAre("0"));
}

TEST(LinearTickLabels, TellNeighboursApart) {
  for (const auto& [lower, upper] : ManyRanges()) {
    const std::vector<std::string> labels =
        LinearTickLabels(LinearTicks(lower, upper, TickFit::kCover));
    for (size_t i = 1; i < labels.size(); ++i) EXPECT_NE(labels[i - 1], labels[i]) << lower;
  }
}

TEST(LogTickLabels, WriteWhatIsNeeded) {
  EXPECT_THAT(LogTickLabels({0.001, 0.5, 20}), ElementsAre("0.001", "0.5", "20"));
  EXPECT_THAT(LogTickLabels({1000, 100000}), ElementsAre("1,000", "100,000"));
  EXPECT_THAT(LogTickLabels({1e-9, 1, 2e7}), ElementsAre("10⁻⁹", "10⁰", "2×10⁷"));
}

TEST(PowerOfTwoTickLabels, WriteWholeNumbersOrPowers) {
  EXPECT_THAT(PowerOfTwoTickLabels({1, 64}), ElementsAre("1", "64"));
  EXPECT_THAT(PowerOfTwoTickLabels({1024, 65536}), ElementsAre("1,024", "65,536"));
  EXPECT_THAT(PowerOfTwoTickLabels({1, 0x1p24}), ElementsAre("2⁰", "2²⁴"));
}

}  // namespace
}  // namespace reckon::plot
