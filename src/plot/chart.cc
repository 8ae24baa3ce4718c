#include "plot/chart.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "plot/drawable.h"
#include "plot/layout.h"
#include "plot/marks.h"
#include "plot/svg_writer.h"
#include "plot/text_fit.h"
#include "plot/theme.h"

namespace reckon::plot {
namespace {

std::string RangeText(const std::vector<double>& numbers) {
  const auto [low, high] = std::minmax_element(numbers.begin(), numbers.end());
  return base::FormatNumber(*low) + " to " + base::FormatNumber(*high);
}

// The chart in sentences, for those who cannot see it.
std::string Description(const Chart& chart, const Drawable& data) {
  if (data.IsEmpty()) return "A chart without data.";
  std::string text = chart.y_label.empty() ? "y" : chart.y_label;
  text += " over " + (chart.x_label.empty() ? "x" : chart.x_label) + ".";
  if (!chart.categories.empty()) text += " Categories: " + base::Join(chart.categories, ", ") + ".";
  const auto describe = [&](const std::string& name, const char* what,
                            const std::vector<double>& y) {
    if (y.empty()) return;
    text +=
        fmt::format(" {}: {} {}, {}.", name.empty() ? what : name, y.size(), what, RangeText(y));
  };
  for (const DrawableLine& line : data.lines) {
    std::vector<double> y;
    for (const auto& run : line.runs) {
      for (const Point& point : run) y.push_back(point.y);
    }
    describe(line.name, "points of a line", y);
  }
  for (const DrawableDots& dots : data.dots) {
    std::vector<double> y;
    for (const Point& point : dots.points) y.push_back(point.y);
    describe(dots.name, "measurements", y);
  }
  if (chart.measured_range && chart.categories.empty()) {
    text += fmt::format(" Measured from {} to {}; beyond that the line is extrapolated.",
                        base::FormatNumber(chart.measured_range->first),
                        base::FormatNumber(chart.measured_range->second));
  }
  return text;
}

void DrawHeader(const Chart& chart, const Layout& layout, SvgWriter& svg) {
  const double width = layout.width - 2 * layout.margin;
  const auto row = [&](const std::string& text, const char* classes, double y, double size) {
    if (text.empty()) return;
    svg.Text("text", {{"class", classes}, {"x", layout.margin}, {"y", y}},
             FitText(text, size, width));
  };
  row(chart.title, "title", layout.title_y, kTitleSize * kBoldWidth);
  row(chart.subtitle, "subtitle muted", layout.subtitle_y, kSubtitleSize);
  row(chart.y_label, "muted", layout.y_label_y, kTextSize);
}

void DrawLegend(const Layout& layout, SvgWriter& svg) {
  for (const LegendEntry& entry : layout.legend) {
    const double middle = entry.y - 4;
    const double right = entry.x + entry.SwatchWidth();
    switch (entry.kind) {
      case LegendEntry::Kind::kLine:
        svg.Empty("line", {{"class", "line " + entry.color_class},
                           {"x1", entry.x + 1},
                           {"x2", right - 1},
                           {"y1", middle},
                           {"y2", middle}});
        break;
      case LegendEntry::Kind::kDots:
        DrawDot(svg, {(entry.x + right) / 2, middle}, 4, entry.shape, entry.color_class, "");
        break;
      case LegendEntry::Kind::kBand:
      case LegendEntry::Kind::kShade: {
        const bool band = entry.kind == LegendEntry::Kind::kBand;
        svg.Empty("rect", {{"class", band ? "band " + entry.color_class : "shade grid"},
                           {"x", entry.x},
                           {"y", middle - 6},
                           {"width", entry.SwatchWidth()},
                           {"height", 12.0},
                           {"rx", 2.0}});
        break;
      }
    }
    svg.Text("text", {{"x", entry.TextX()}, {"y", entry.y}}, entry.text);
  }
}

void DrawShades(const Layout& layout, SvgWriter& svg) {
  for (const Beyond& beyond : layout.beyond) {
    svg.Empty("rect", {{"class", "shade"},
                       {"x", beyond.left},
                       {"y", layout.shade_top},
                       {"width", beyond.right - beyond.left},
                       {"height", layout.plot.bottom() - layout.shade_top}});
    if (beyond.label.empty()) continue;
    svg.Text("text",
             {{"class", "note muted middle"},
              {"x", (beyond.left + beyond.right) / 2},
              {"y", layout.shade_top + 14}},
             beyond.label);
  }
}

void DrawRule(SvgWriter& svg, const char* classes, double x1, double y1, double x2, double y2) {
  svg.Empty("line", {{"class", classes}, {"x1", x1}, {"y1", y1}, {"x2", x2}, {"y2", y2}});
}

void DrawAxes(const Chart& chart, const Layout& layout, SvgWriter& svg) {
  const Rect& plot = layout.plot;
  for (const Tick& tick : layout.y_axis.ticks) {
    const double y = layout.Y(tick.value);
    const bool zero = tick.value == 0 && !layout.y_axis.log;
    DrawRule(svg, zero ? "axis" : "grid", plot.left, y, plot.right(), y);
    svg.Text("text", {{"class", "number muted right"}, {"x", plot.left - 8}, {"y", y + 4}},
             tick.label);
  }
  const bool categories = !chart.categories.empty();
  for (size_t i = 0; i < layout.x_axis.ticks.size(); ++i) {
    const Tick& tick = layout.x_axis.ticks[i];
    const double x = layout.X(tick.value);
    if (!categories) DrawRule(svg, "grid", x, plot.top, x, plot.bottom());
    if (i % layout.x_label_stride != 0) continue;
    DrawRule(svg, "axis", x, plot.bottom(), x, plot.bottom() + 5);
    svg.Text("text", {{"class", "number muted middle"}, {"x", x}, {"y", plot.bottom() + 20}},
             tick.label);
  }
  DrawRule(svg, "axis", plot.left, plot.bottom(), plot.right(), plot.bottom());
  if (!chart.x_label.empty()) {
    svg.Text(
        "text",
        {{"class", "muted middle"}, {"x", plot.left + plot.width / 2}, {"y", layout.x_label_y}},
        FitText(chart.x_label, kTextSize, plot.width));
  }
}

void DrawEndLabels(const Layout& layout, SvgWriter& svg) {
  for (const EndLabel& label : layout.end_labels) {
    const std::string path = fmt::format(
        "M{} {}L{} {}L{} {}", FormatCoordinate(label.line_x + 2), FormatCoordinate(label.line_y),
        FormatCoordinate(layout.plot.right()), FormatCoordinate(label.y),
        FormatCoordinate(label.x - 4), FormatCoordinate(label.y));
    svg.Empty("path", {{"class", "leader " + SeriesClass(label.series)}, {"d", path}});
    svg.Text("text", {{"x", label.x}, {"y", label.y + 4}}, label.text);
  }
}

}  // namespace

std::string RenderSvg(const Chart& chart) {
  const Drawable data = MakeDrawable(chart);
  const Layout layout = MakeLayout(chart, data);
  const std::string title = chart.title.empty() ? "Chart" : chart.title;
  SvgWriter svg;
  svg.Open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                   {"class", "reckon-chart"},
                   {"viewBox", fmt::format("0 0 {} {}", FormatCoordinate(layout.width),
                                           FormatCoordinate(layout.height))},
                   {"width", layout.width},
                   {"height", layout.height},
                   {"role", "img"},
                   {"aria-label", title}});
  svg.Text("title", {}, title);
  svg.Text("desc", {}, Description(chart, data));
  svg.Text("style", {}, StyleSheet());
  svg.Empty("rect", {{"class", "page"}, {"width", layout.width}, {"height", layout.height}});
  DrawHeader(chart, layout, svg);
  DrawLegend(layout, svg);
  DrawShades(layout, svg);
  DrawAxes(chart, layout, svg);
  if (data.IsEmpty()) {
    svg.Text("text",
             {{"class", "muted middle"},
              {"x", layout.plot.left + layout.plot.width / 2},
              {"y", layout.plot.top + layout.plot.height / 2}},
             "no data");
  } else if (chart.categories.empty()) {
    DrawMarks(data, layout, svg);
  } else {
    DrawCategoryMarks(data, layout, svg);
  }
  DrawEndLabels(layout, svg);
  svg.Close();
  return std::move(svg).Finish();
}

}  // namespace reckon::plot
