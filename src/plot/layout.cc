#include "plot/layout.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "plot/text_fit.h"
#include "plot/theme.h"

namespace reckon::plot {
namespace {

constexpr double kWidth = 760;
constexpr double kPlotHeight = 300;
constexpr double kMargin = 20;
constexpr double kTickGap = 10;  // between a tick's label and the plot
constexpr double kNoteSize = 11;
constexpr const char* kBeyondLabel = "beyond the measured range";

// The plot from left to right: whatever tick labels and end labels leave.
void PlaceHorizontally(Layout& layout, double end_label_width) {
  double widest = 0;
  for (const Tick& tick : layout.y_axis.ticks) {
    widest = std::max(widest, TextWidth(tick.label, kTextSize));
  }
  layout.width = kWidth;
  layout.margin = kMargin;
  layout.plot.left = kMargin + widest + kTickGap;
  layout.plot.width = kWidth - kMargin - layout.plot.left - end_label_width;
}

// Which x ticks get a label, so that none touches the next.
size_t LabelStride(const Layout& layout) {
  constexpr double kBetween = 12;
  const std::vector<Tick>& ticks = layout.x_axis.ticks;
  const auto fits = [&](size_t stride) {
    for (size_t i = 0; i + stride < ticks.size(); i += stride) {
      const double widths = TextWidth(ticks[i].label, kTextSize) / 2 +
                            TextWidth(ticks[i + stride].label, kTextSize) / 2;
      if (layout.X(ticks[i + stride].value) - layout.X(ticks[i].value) < widths + kBetween) {
        return false;
      }
    }
    return true;
  };
  size_t stride = 1;
  while (stride < ticks.size() && !fits(stride)) ++stride;
  return stride;
}

// Names of categories are cut rather than left out, down to a width that still says something.
void FitCategories(Layout& layout) {
  constexpr double kBetween = 12;
  constexpr double kLeast = 40;
  const double slot = layout.plot.width / static_cast<double>(layout.x_axis.ticks.size());
  const double width = std::max(kLeast, slot - kBetween);
  for (Tick& tick : layout.x_axis.ticks) tick.label = FitText(tick.label, kTextSize, width);
}

std::vector<Beyond> FindBeyond(const Chart& chart, const Layout& layout) {
  if (!chart.measured_range || !chart.categories.empty()) return {};
  auto [from, to] = *chart.measured_range;
  if (std::isnan(from) || std::isnan(to)) return {};
  if (from > to) std::swap(from, to);
  const auto position = [&](double x) {
    const bool below = x <= layout.x_axis.lower;  // also keeps log() off numbers <= 0
    const bool above = x >= layout.x_axis.upper;
    return below ? layout.plot.left : (above ? layout.plot.right() : layout.X(x));
  };
  // Half a dot of room, so that the last measured dot does not stand on the edge.
  constexpr double kRoom = 6;
  constexpr double kLeast = 1.5 * kRoom;
  std::vector<Beyond> beyond;
  const auto add = [&](double left, double right) {
    if (right - left < kLeast) return;
    const bool fits = right - left >= TextWidth(kBeyondLabel, kNoteSize);
    beyond.push_back({left, right, fits ? kBeyondLabel : ""});
  };
  add(layout.plot.left, position(from) - kRoom);
  add(position(to) + kRoom, layout.plot.right());
  return beyond;
}

void PlaceVertically(const Chart& chart, Layout& layout, size_t legend_rows) {
  double y = kMargin - 4;
  const auto next_row = [&](bool used, double height) {
    if (used) y += height;
    return y;
  };
  layout.title_y = next_row(!chart.title.empty(), 18);
  layout.subtitle_y = next_row(!chart.subtitle.empty(), 20);
  for (LegendEntry& entry : layout.legend) {
    entry.y = y + 24 + kLegendRowHeight * static_cast<double>(entry.row);
  }
  next_row(legend_rows > 0, 8 + kLegendRowHeight * static_cast<double>(legend_rows));
  layout.y_label_y = next_row(!chart.y_label.empty(), 26);
  layout.shade_top = y + 10;
  layout.plot.top = layout.shade_top + (layout.beyond.empty() ? 8 : 20);
  layout.plot.height = kPlotHeight;
  layout.x_label_y = layout.plot.bottom() + 42;
  layout.height = layout.plot.bottom() + (chart.x_label.empty() ? 38 : 58);
}

}  // namespace

double Layout::Y(double y) const {
  return plot.bottom() - std::clamp(y_axis.Fraction(y), -2.0, 3.0) * plot.height;
}

Layout MakeLayout(const Chart& chart, const Drawable& data) {
  Layout layout;
  layout.x_axis = MakeXAxis(chart, data);
  layout.y_axis = MakeYAxis(chart, data);
  const bool at_ends = chart.categories.empty() && CanLabelEnds(data, layout.x_axis);
  PlaceHorizontally(layout, at_ends ? EndLabelsWidth(data) : 0);
  if (!chart.categories.empty()) FitCategories(layout);
  layout.x_label_stride = LabelStride(layout);
  layout.beyond = FindBeyond(chart, layout);

  const bool explained = std::any_of(layout.beyond.begin(), layout.beyond.end(),
                                     [](const Beyond& b) { return !b.label.empty(); });
  const std::string note = layout.beyond.empty() || explained ? "" : kBeyondLabel;
  layout.legend = MakeLegend(data, at_ends, note);
  const size_t rows = FlowLegend(layout.legend, kMargin, kWidth - kMargin);
  PlaceVertically(chart, layout, rows);
  if (at_ends) {
    layout.end_labels = PlaceEndLabels(data, layout);
  }
  return layout;
}

}  // namespace reckon::plot
