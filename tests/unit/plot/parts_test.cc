// The parts of a chart on their own: thinning, cutting, spreading, axes, legend.
#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "plot/axis.h"
#include "plot/end_labels.h"
#include "plot/legend.h"
#include "plot/marks.h"
#include "plot/thin.h"

namespace reckon::plot {
namespace {

using testing::ElementsAre;

std::vector<Point> NoisyLine(size_t count) {
  base::Rng rng(3);
  std::vector<Point> line;
  for (size_t i = 0; i < count; ++i) {
    line.push_back({600.0 * static_cast<double>(i) / static_cast<double>(count), rng.Normal()});
  }
  return line;
}

TEST(ThinLine, KeepsEndsAndExtremesOfEveryColumn) {
  const std::vector<Point> line = NoisyLine(20000);
  const std::vector<Point> thin = ThinLine(line);
  EXPECT_LE(thin.size(), 4U * 601);
  EXPECT_EQ(thin.front().x, line.front().x);
  EXPECT_EQ(thin.back().x, line.back().x);
  EXPECT_TRUE(std::is_sorted(thin.begin(), thin.end(),
                             [](const Point& a, const Point& b) { return a.x < b.x; }));
  const auto extremes = [](const std::vector<Point>& points, double column) {
    std::pair<double, double> range{INFINITY, -INFINITY};
    for (const Point& point : points) {
      if (std::floor(point.x) != column) continue;
      range = {std::min(range.first, point.y), std::max(range.second, point.y)};
    }
    return range;
  };
  for (const double column : {0.0, 17.0, 300.0, 599.0}) {
    EXPECT_EQ(extremes(thin, column), extremes(line, column)) << column;
  }
}

TEST(ThinLine, LeavesShortLinesAlone) { EXPECT_EQ(ThinLine(NoisyLine(900)).size(), 900U); }

TEST(ThinBand, IsAsWideAsTheWidestOfAColumn) {
  std::vector<Interval> band;
  for (int i = 0; i < 10000; ++i) band.push_back({i / 100.0, -1.0 - i % 7, 1.0 + i % 11});
  const std::vector<Interval> thin = ThinBand(band);
  EXPECT_EQ(thin.size(), 200U);
  for (const Interval& interval : thin) {
    EXPECT_EQ(interval.lower, -7);
    EXPECT_EQ(interval.upper, 11);
  }
  EXPECT_EQ(thin.back().x, band.back().x);
}

TEST(ThinDots, StayBelowTheLimitAndKeepTheFirst) {
  std::vector<Point> dots = NoisyLine(10000);
  for (Point& dot : dots) dot.y *= 100;
  const std::vector<Point> thin = ThinDots(dots, 3000);
  EXPECT_LE(thin.size(), 3000U);
  EXPECT_GT(thin.size(), 1000U);
  EXPECT_EQ(thin.front().x, dots.front().x);
  EXPECT_EQ(ThinDots(NoisyLine(10), 3000).size(), 10U);
}

TEST(CutAt, SplitsWhereTheRangeEnds) {
  const std::vector<Piece> pieces = CutAt({{0, 0}, {10, 10}, {20, 0}}, 5, 15);
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_TRUE(pieces[0].beyond);
  EXPECT_FALSE(pieces[1].beyond);
  EXPECT_TRUE(pieces[2].beyond);
  ASSERT_EQ(pieces[1].points.size(), 3U);
  EXPECT_DOUBLE_EQ(pieces[1].points[0].x, 5);
  EXPECT_DOUBLE_EQ(pieces[1].points[0].y, 5);
  EXPECT_DOUBLE_EQ(pieces[1].points[2].x, 15);
  EXPECT_DOUBLE_EQ(pieces[1].points[2].y, 5);
}

TEST(CutAt, SplitsOneSegmentTwice) {
  const std::vector<Piece> pieces = CutAt({{0, 0}, {10, 0}}, 2, 3);
  ASSERT_EQ(pieces.size(), 3U);
  EXPECT_FALSE(pieces[1].beyond);
}

TEST(CutAt, LeavesALineInsideWhole) {
  const std::vector<Piece> pieces = CutAt({{0, 0}, {5, 1}, {10, 0}}, -INFINITY, INFINITY);
  ASSERT_EQ(pieces.size(), 1U);
  EXPECT_FALSE(pieces[0].beyond);
  EXPECT_EQ(pieces[0].points.size(), 3U);
}

TEST(SpreadApart, MovesOnlyWhatTouches) {
  EXPECT_THAT(SpreadApart({10, 50, 90}, 15, 0, 100), ElementsAre(10, 50, 90));
  EXPECT_THAT(SpreadApart({50, 50}, 10, 0, 100), ElementsAre(45, 55));
  EXPECT_THAT(SpreadApart({99, 100}, 10, 0, 100), ElementsAre(90, 100));
  EXPECT_THAT(SpreadApart({0, 0}, 10, 0, 100), ElementsAre(0, 10));
  EXPECT_TRUE(SpreadApart({}, 10, 0, 100).empty());
}

TEST(SpreadApart, AlwaysKeepsGapOrderAndFrame) {
  base::Rng rng(5);
  for (int round = 0; round < 500; ++round) {
    std::vector<double> wanted(1 + rng.Below(8));
    for (double& y : wanted) y = 300 * rng.Uniform();
    std::sort(wanted.begin(), wanted.end());
    const std::vector<double> placed = SpreadApart(wanted, 15, 0, 300);
    ASSERT_EQ(placed.size(), wanted.size());
    EXPECT_GE(placed.front(), 0);
    EXPECT_LE(placed.back(), 300 + 1e-9);
    for (size_t i = 1; i < placed.size(); ++i) EXPECT_GE(placed[i] - placed[i - 1], 15 - 1e-9);
  }
}

Axis YAxisOf(const Chart& chart) { return MakeYAxis(chart, MakeDrawable(chart)); }
Axis XAxisOf(const Chart& chart) { return MakeXAxis(chart, MakeDrawable(chart)); }

TEST(YAxis, BeginsAtZeroWhenTheDataComesNear) {
  Chart chart;
  chart.lines = {{"", {{1, 3}, {2, 10}}}};
  EXPECT_EQ(YAxisOf(chart).lower, 0);
  chart.lines = {{"", {{1, 990}, {2, 1000}}}};
  EXPECT_GT(YAxisOf(chart).lower, 900);
}

TEST(YAxis, IsNotSqueezedByAWildBand) {
  Chart chart;
  chart.lines = {{"", {{1, 0}, {2, 10}}}};
  chart.bands = {{"", {1, 2}, {-1, -1e9}, {1, 1e9}}};
  const Axis axis = YAxisOf(chart);
  EXPECT_GE(axis.lower, -20);
  EXPECT_LE(axis.upper, 30);
  chart.bands = {{"", {1, 2}, {-1, 8}, {1, 13}}};
  EXPECT_LE(YAxisOf(chart).lower, -1);
  EXPECT_GE(YAxisOf(chart).upper, 13);
}

TEST(YAxis, FallsBackToLinearForNumbersWithoutLogarithm) {
  Chart chart;
  chart.log_y = true;
  chart.lines = {{"", {{1, 1}, {2, 1000}}}};
  EXPECT_TRUE(YAxisOf(chart).log);
  chart.bands = {{"", {1, 2}, {0, 900}, {2, 1100}}};
  EXPECT_FALSE(YAxisOf(chart).log);
  chart.bands.clear();
  chart.lines = {{"", {{1, -1}, {2, 1000}}}};
  EXPECT_FALSE(YAxisOf(chart).log);
  chart.lines.clear();
  EXPECT_FALSE(YAxisOf(chart).log);
}

TEST(XAxis, MarksPowersOfTwoAsSuch) {
  Chart chart;
  chart.log_x = true;
  chart.lines = {{"", {{1, 1}, {8, 1}, {64, 1}}}};
  std::vector<std::string> labels;
  for (const Tick& tick : XAxisOf(chart).ticks) labels.push_back(tick.label);
  EXPECT_THAT(labels, ElementsAre("1", "2", "4", "8", "16", "32", "64"));
  chart.lines = {{"", {{1, 1}, {8, 1}, {100, 1}}}};
  labels.clear();
  for (const Tick& tick : XAxisOf(chart).ticks) labels.push_back(tick.label);
  EXPECT_THAT(labels, ElementsAre("1", "2", "5", "10", "20", "50", "100"));
}

TEST(XAxis, CountsWholeThingsInWholeSteps) {
  Chart chart;
  chart.lines = {{"", {{1, 1}, {2, 1}, {3, 1}}}};
  for (const Tick& tick : XAxisOf(chart).ticks) EXPECT_EQ(tick.value, std::round(tick.value));
}

TEST(Axis, MapsItsRangeOntoZeroToOne) {
  Axis axis{false, 10, 20, {}};
  EXPECT_DOUBLE_EQ(axis.Fraction(10), 0);
  EXPECT_DOUBLE_EQ(axis.Fraction(15), 0.5);
  EXPECT_DOUBLE_EQ(axis.Fraction(20), 1);
  axis = {true, 1, 100, {}};
  EXPECT_DOUBLE_EQ(axis.Fraction(10), 0.5);
}

TEST(Drawable, LeavesOutWhatIsNoNumberAndSorts) {
  Chart chart;
  chart.lines = {{"", {{3, 1}, {1, 1}, {2, NAN}, {4, 1}, {INFINITY, 1}, {NAN, 2}, {5, 1e301}}}};
  const Drawable data = MakeDrawable(chart);
  ASSERT_EQ(data.lines[0].runs.size(), 2U);
  EXPECT_EQ(data.lines[0].runs[0].size(), 1U);
  EXPECT_EQ(data.lines[0].runs[0][0].x, 1);
  EXPECT_EQ(data.lines[0].runs[1].size(), 2U);
  EXPECT_EQ(data.lines[0].runs[1][0].x, 3);
}

TEST(Legend, NamesEverythingOnce) {
  Chart chart;
  chart.lines = {{"a", {{1, 1}}}, {"b", {{1, 1}}}, {"", {{1, 1}}}, {"nothing", {}}};
  chart.bands = {{"90 %", {1}, {0}, {2}}, {"90 %", {1}, {0}, {2}}};
  chart.dots = {{"a", {{1, 1}}}, {"b", {{1, 1}}}, {"other", {{1, 1}}}};
  std::vector<std::string> names;
  for (const LegendEntry& entry : MakeLegend(MakeDrawable(chart), false, "note")) {
    names.push_back(entry.text);
  }
  EXPECT_THAT(names, ElementsAre("a", "b", "90 %", "other", "measured", "note"));
}

TEST(Legend, BreaksIntoRowsWithinTheWidth) {
  std::vector<LegendEntry> entries(8);
  for (LegendEntry& entry : entries) entry.text = "a rather long name of a series";
  EXPECT_GT(FlowLegend(entries, 20, 740), 1U);
  for (size_t i = 1; i < entries.size(); ++i) {
    const bool same_row = entries[i].row == entries[i - 1].row;
    EXPECT_TRUE(same_row ? entries[i].x > entries[i - 1].x : entries[i].x == 20) << i;
  }
}

}  // namespace
}  // namespace reckon::plot
