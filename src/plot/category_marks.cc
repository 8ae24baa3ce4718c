#include <algorithm>

#include <fmt/format.h>

#include "base/units.h"
#include "plot/legend.h"
#include "plot/marks.h"
#include "plot/theme.h"

namespace reckon::plot {
namespace {

constexpr size_t kMostDots = 3000;

// Where the series stand within the slot of a category.
struct Slots {
  double pitch = 0;  // from one series to the next
  double width = 0;  // of a mark
  size_t count = 0;

  double Center(double category_x, size_t series) const {
    return category_x + (static_cast<double>(series) - static_cast<double>(count - 1) / 2) * pitch;
  }
};

Slots MakeSlots(const Drawable& data, const Layout& layout) {
  constexpr double kWidest = 48;
  Slots slots;
  slots.count = std::max<size_t>(1, data.series_count);
  const double slot = layout.plot.width / static_cast<double>(layout.x_axis.ticks.size());
  slots.pitch = std::min(kWidest, 0.8 * slot / static_cast<double>(slots.count));
  slots.width = 0.72 * slots.pitch;
  return slots;
}

void DrawBar(const Interval& interval, double center, double width, const std::string& color_class,
             const Layout& layout, SvgWriter& svg) {
  const double top = std::clamp(layout.Y(interval.upper), layout.plot.top, layout.plot.bottom());
  const double bottom = std::clamp(layout.Y(interval.lower), layout.plot.top, layout.plot.bottom());
  svg.Empty("rect", {{"class", "band " + color_class},
                     {"x", center - width / 2},
                     {"y", top},
                     {"width", width},
                     {"height", bottom - top},
                     {"rx", 2.0}});
}

}  // namespace

void DrawCategoryMarks(const Drawable& data, const Layout& layout, SvgWriter& svg) {
  const Slots slots = MakeSlots(data, layout);
  for (size_t i = 0; i < data.bands.size(); ++i) {
    for (const auto& run : data.bands[i].runs) {
      for (const Interval& interval : run) {
        DrawBar(interval, slots.Center(layout.X(interval.x), i), slots.width, SeriesClass(i),
                layout, svg);
      }
    }
  }
  for (size_t i = 0; i < data.lines.size(); ++i) {
    for (const auto& run : data.lines[i].runs) {
      for (const Point& point : run) {
        const double center = slots.Center(layout.X(point.x), i);
        svg.Empty("line", {{"class", "mark " + SeriesClass(i)},
                           {"x1", center - slots.width / 2},
                           {"x2", center + slots.width / 2},
                           {"y1", layout.Y(point.y)},
                           {"y2", layout.Y(point.y)}});
      }
    }
  }
  for (const DrawableDots& dots : data.dots) {
    const double radius = std::clamp(slots.width / 4, 1.5, 4.0);
    for (size_t i = 0; i < std::min(dots.points.size(), kMostDots); ++i) {
      const Point& point = dots.points[i];
      DrawDot(svg, {slots.Center(layout.X(point.x), dots.series), layout.Y(point.y)}, radius,
              DotsShape(data, dots), DotsClass(data, dots), base::FormatNumber(point.y));
    }
  }
}

}  // namespace reckon::plot
