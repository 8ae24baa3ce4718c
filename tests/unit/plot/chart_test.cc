#include "plot/chart.h"

#include <bit>
#include <cmath>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "tests/unit/plot/xml_check.h"

namespace reckon::plot {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

size_t Count(const std::string& text, const std::string& part) {
  size_t count = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

// Whether every number in the value of a coordinate or path has at most four digits and two
// decimals: nothing far off the page, no nan, no inf.
bool IsPlainGeometry(std::string_view value) {
  size_t digits = 0;
  size_t decimals = 0;
  bool point = false;
  for (const char c : value) {
    if (c >= '0' && c <= '9') {
      ++(point ? decimals : digits);
      if (digits > 4 || decimals > 2) return false;
    } else if (c == '.') {
      if (point) return false;
      point = true;
    } else if (c == 'M' || c == 'L' || c == 'Z' || c == ' ' || c == '-') {
      digits = decimals = 0;
      point = false;
    } else {
      return false;
    }
  }
  return !value.empty();
}

// Renders and checks what holds for every chart.
std::string Render(const Chart& chart) {
  std::string svg = RenderSvg(chart);
  EXPECT_EQ(XmlCheck::Problem(svg), "");
  EXPECT_EQ(svg, RenderSvg(chart)) << "not deterministic";
  EXPECT_TRUE(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\""));
  EXPECT_TRUE(svg.ends_with("</svg>\n"));
  EXPECT_THAT(svg, HasSubstr("viewBox=\"0 0 760 "));
  for (const std::string name :
       {"x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "r", "rx", "d", "width", "height"}) {
    const std::string start = " " + name + "=\"";
    for (size_t at = svg.find(start); at != std::string::npos; at = svg.find(start, at + 1)) {
      const size_t from = at + start.size();
      const std::string value = svg.substr(from, svg.find('"', from) - from);
      EXPECT_TRUE(IsPlainGeometry(value)) << name << "=" << value.substr(0, 80);
    }
  }
  return svg;
}

// Workers 1 to 64, measured from 4 to 24.
Chart ScalingCurve() {
  Chart chart;
  chart.title = "Epoch time";
  chart.subtitle = "batch 128";
  chart.x_label = "workers";
  chart.y_label = "epoch time [s]";
  Series line{"forecast", {}};
  Band band{"90 % interval", {}, {}, {}};
  Series dots{"measured", {}};
  for (int n = 1; n <= 64; ++n) {
    const double t = 400.0 / n + n;
    line.points.push_back({static_cast<double>(n), t});
    band.x.push_back(n);
    band.lower.push_back(t * 0.9);
    band.upper.push_back(t * 1.1);
    if (n >= 4 && n <= 24 && n % 4 == 0) dots.points.push_back({static_cast<double>(n), t});
  }
  chart.lines = {line};
  chart.bands = {band};
  chart.dots = {dots};
  chart.measured_range = {{4, 24}};
  return chart;
}

TEST(RenderSvg, DrawsAScalingCurve) {
  const std::string svg = Render(ScalingCurve());
  EXPECT_EQ(Count(svg, "class=\"line s0\""), 2U);  // the curve and its legend entry
  EXPECT_EQ(Count(svg, "class=\"line beyond s0\""), 2U);
  EXPECT_EQ(Count(svg, "<path class=\"band s0\""), 1U);
  EXPECT_EQ(Count(svg, "<circle class=\"dot ink\""), 7U);
  EXPECT_EQ(Count(svg, "class=\"shade\""), 2U);
  EXPECT_THAT(svg, HasSubstr(">beyond the measured range<"));
  EXPECT_THAT(svg, HasSubstr(">workers<"));
  EXPECT_THAT(svg, HasSubstr(">90 % interval<"));
}

TEST(RenderSvg, TellsScreenReadersWhatItShows) {
  const std::string svg = Render(ScalingCurve());
  EXPECT_THAT(svg, HasSubstr("role=\"img\" aria-label=\"Epoch time\""));
  EXPECT_THAT(svg, HasSubstr("<title>Epoch time</title>"));
  EXPECT_THAT(svg, HasSubstr("epoch time [s] over workers."));
  EXPECT_THAT(svg, HasSubstr("measured: 6 measurements, 40 to 104."));
  EXPECT_THAT(svg, HasSubstr("Measured from 4 to 24"));
}

TEST(RenderSvg, KnowsDarkPages) {
  EXPECT_THAT(Render(ScalingCurve()), HasSubstr("@media (prefers-color-scheme:dark)"));
}

TEST(RenderSvg, IsSolidWhenNothingIsExtrapolated) {
  Chart chart = ScalingCurve();
  chart.measured_range = {{1, 64}};
  EXPECT_THAT(Render(chart), Not(HasSubstr("line beyond")));
  chart.measured_range.reset();
  const std::string svg = Render(chart);
  EXPECT_THAT(svg, Not(HasSubstr("line beyond")));
  EXPECT_THAT(svg, Not(HasSubstr("class=\"shade\"")));
}

TEST(RenderSvg, IsDashedThroughoutWhenAllIsExtrapolated) {
  Chart chart = ScalingCurve();
  chart.measured_range = {{100, 200}};
  const std::string svg = Render(chart);
  EXPECT_EQ(Count(svg, "class=\"line s0\""), 1U);  // the legend's
  EXPECT_EQ(Count(svg, "class=\"line beyond s0\""), 1U);
}

TEST(RenderSvg, EscapesEveryText) {
  Chart chart = ScalingCurve();
  const std::string nasty = "<&\">'\x01\xff</text>";
  chart.title = chart.subtitle = chart.x_label = chart.y_label = nasty;
  chart.lines[0].name = chart.bands[0].name = chart.dots[0].name = nasty;
  Render(chart);
  chart.categories = {nasty, nasty};
  Render(chart);
}

TEST(RenderSvg, CutsLongTexts) {
  Chart chart = ScalingCurve();
  const std::string name(500, 'W');
  chart.title = chart.subtitle = chart.x_label = chart.y_label = name;
  chart.lines.push_back({name, chart.lines[0].points});
  chart.categories = {};
  const std::string svg = Render(chart);
  EXPECT_EQ(Count(svg, "W…</text>"), 5U);
}

TEST(RenderSvg, NamesSeveralLinesAtTheirEnds) {
  Chart chart;
  for (int s = 0; s < 8; ++s) {
    chart.lines.push_back({"series " + std::to_string(s), {{1, 10.0 + s}, {64, 1.0 * s}}});
  }
  const std::string svg = Render(chart);
  EXPECT_EQ(Count(svg, "class=\"leader"), 8U);
  for (int s = 0; s < 8; ++s) {
    EXPECT_EQ(Count(svg, ">series " + std::to_string(s) + "<"), 1U);
    EXPECT_EQ(Count(svg, "class=\"line s" + std::to_string(s) + "\""), 1U);
  }
  // A line that ends early has its name in the legend, and so have all.
  chart.lines[0].points.pop_back();
  EXPECT_EQ(Count(Render(chart), "class=\"leader"), 0U);
}

TEST(RenderSvg, ShowsCategoriesSideBySide) {
  Chart chart;
  chart.categories = {"c5.large", "m5.large", "p3.2xlarge"};
  for (int s = 0; s < 2; ++s) {
    const std::string name = "batch " + std::to_string(s);
    chart.lines.push_back({name, {{0, 10.0 + s}, {1, 20.0 + s}, {2, 30}, {3, 99}, {0.5, 99}}});
    chart.bands.push_back({"90 % interval", {0, 1, 2, -1}, {9, 19, 29, 1}, {12, 22, 32, 2}});
    chart.dots.push_back({name, {{0, 11}, {1, 21}, {7, 5}}});
  }
  const std::string svg = Render(chart);
  EXPECT_EQ(Count(svg, "class=\"mark s0\""), 3U);  // 3 and 0.5 are no categories
  EXPECT_EQ(Count(svg, "<rect class=\"band s1\""), 3U);
  EXPECT_EQ(Count(svg, "dot s0"), 2U);
  EXPECT_EQ(Count(svg, "dot s1"), 2U);
  EXPECT_THAT(svg, HasSubstr(">m5.large<"));
}

TEST(RenderSvg, SurvivesManyCategories) {
  Chart chart;
  Series line{"forecast", {}};
  for (int i = 0; i < 500; ++i) {
    chart.categories.push_back("category " + std::to_string(i));
    line.points.push_back({static_cast<double>(i), 1.0 * i});
  }
  chart.lines = {line};
  EXPECT_LE(Count(Render(chart), "class=\"number muted middle\""), 20U);
}

TEST(RenderSvg, SaysWhenThereIsNothingToShow) {
  EXPECT_THAT(Render(Chart()), HasSubstr(">no data<"));
  Chart chart;
  chart.lines = {{"forecast", {}}, {"nan", {{1, kNan}, {kInf, 1}}}};
  chart.bands = {{"", {}, {}, {}}};
  chart.dots = {{"measured", {}}};
  chart.log_x = chart.log_y = true;
  EXPECT_THAT(Render(chart), HasSubstr(">no data<"));
  chart.categories = {"a"};
  EXPECT_THAT(Render(chart), HasSubstr(">no data<"));
  EXPECT_THAT(Render(ScalingCurve()), Not(HasSubstr(">no data<")));
}

TEST(RenderSvg, DrawsASinglePoint) {
  for (const bool log : {false, true}) {
    Chart chart;
    chart.log_x = chart.log_y = log;
    chart.lines = {{"forecast", {{8, 3}}}};
    chart.bands = {{"", {8}, {2}, {4}}};
    chart.measured_range = {{8, 8}};
    const std::string svg = Render(chart);
    EXPECT_EQ(Count(svg, "class=\"dot s0\""), 1U);
    EXPECT_EQ(Count(svg, "class=\"bar s0\""), 1U);
  }
}

TEST(RenderSvg, SkipsWhatIsNoNumberAndLeavesAGap) {
  Chart chart;
  chart.lines = {{"a", {{1, 1}, {2, 2}, {3, kNan}, {4, 2}, {5, kInf}, {6, 1}, {7, 2}, {kNan, 3}}}};
  chart.dots = {{"b", {{1, 1}, {2, kNan}, {kNan, 2}, {-kInf, 1}}}};
  chart.bands = {{"c", {1, 2, 3, 4}, {0, 0, kNan, 0}, {2, 2, 2, kInf}}};
  const std::string svg = Render(chart);
  EXPECT_EQ(Count(svg, "<path class=\"line s0\""), 2U);
  EXPECT_EQ(Count(svg, "dot s0"), 1U);   // the lonely point at 4
  EXPECT_EQ(Count(svg, "dot ink"), 2U);  // one measured, one in the legend
  EXPECT_EQ(Count(svg, "<path class=\"band s0\""), 1U);
}

TEST(RenderSvg, SurvivesEveryKindOfRange) {
  const std::vector<std::pair<double, double>> ranges{
      {0, 0},           {5, 5},           {-5, -5},       {0, 1},           {-1, 0},
      {-3, 7},          {1e-9, 1e12},     {1e-5, 3e-5},   {1e12, 1e12 + 1}, {-1e300, 1e300},
      {1e-300, 2e-300}, {5e-324, 1e-320}, {1e299, 1e300}, {1e-290, 1e300},  {1, 1 + 1e-12},
      {-1e-12, 1e12},   {1e7, 1.00001e7}, {-1e308, 1e308}};
  for (const auto& [low, high] : ranges) {
    for (const auto& [left, right] : ranges) {
      for (const bool log : {false, true}) {
        SCOPED_TRACE(testing::Message() << "x " << left << ".." << right << ", y " << low << ".."
                                        << high << (log ? ", log" : ""));
        Chart chart;
        chart.log_x = chart.log_y = log;
        chart.lines = {{"a", {{left, low}, {right, high}}}};
        chart.bands = {{"b", {left, right}, {low, low}, {high, high}}};
        chart.dots = {{"c", {{left, high}}}};
        chart.measured_range = {{left, (left + right) / 2}};
        Render(chart);
      }
    }
  }
}

TEST(RenderSvg, SurvivesAnyNumbers) {
  base::Rng rng(11);
  const auto any = [&] {
    switch (rng.Below(6)) {
      case 0:
        return kNan;
      case 1:
        return 0.0;
      case 2:
        return std::bit_cast<double>(rng.NextBits());
      default:
        return 100 * rng.Normal();
    }
  };
  for (int round = 0; round < 300; ++round) {
    Chart chart;
    chart.log_x = rng.Below(2) == 0;
    chart.log_y = rng.Below(2) == 0;
    chart.measured_range = {{any(), any()}};
    if (rng.Below(4) == 0) chart.categories = {"a", "b", "c"};
    for (uint64_t s = rng.Below(4); s > 0; --s) {
      Series series{"s" + std::to_string(s), {}};
      Band band{"b", {}, {}, {}};
      for (uint64_t i = rng.Below(12); i > 0; --i) {
        series.points.push_back({any(), any()});
        band.x.push_back(any());
        band.lower.push_back(any());
        band.upper.push_back(any());
      }
      chart.lines.push_back(series);
      chart.dots.push_back(series);
      chart.bands.push_back(band);
    }
    SCOPED_TRACE(round);
    Render(chart);
  }
}

TEST(RenderSvg, ThinsTenThousandPoints) {
  Chart chart;
  Series series{"many", {}};
  Band band{"band", {}, {}, {}};
  base::Rng rng(4);
  for (int i = 0; i < 10000; ++i) {
    series.points.push_back({static_cast<double>(i), rng.Normal()});
    band.x.push_back(i);
    band.lower.push_back(-3 + 0.1 * rng.Normal());
    band.upper.push_back(3 + 0.1 * rng.Normal());
  }
  chart.lines = {series};
  chart.bands = {band};
  chart.dots = {series};
  const std::string svg = Render(chart);
  EXPECT_LT(svg.size(), 400'000U);
  EXPECT_LE(Count(svg, "<circle"), 3001U);
  EXPECT_GT(Count(svg, "<circle"), 1000U);
}

TEST(RenderSvgDeathTest, RefusesABandOfUnequalLengths) {
  Chart chart;
  chart.bands = {{"", {1, 2}, {1}, {2, 3}}};
  EXPECT_DEATH(RenderSvg(chart), "check failed");
}

}  // namespace
}  // namespace reckon::plot
