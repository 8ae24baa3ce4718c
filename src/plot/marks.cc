#include "plot/marks.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/units.h"
#include "plot/legend.h"
#include "plot/theme.h"
#include "plot/thin.h"

namespace reckon::plot {
namespace {

constexpr size_t kMostDots = 3000;
constexpr size_t kMostTooltips = 400;

std::string PathOf(const std::vector<Point>& points) {
  std::string path;
  for (const Point& point : points) {
    path += fmt::format("{}{} {}", path.empty() ? "M" : "L", FormatCoordinate(point.x),
                        FormatCoordinate(point.y));
  }
  return path;
}

std::vector<Point> ToPixels(const std::vector<Point>& points, const Layout& layout) {
  std::vector<Point> pixels;
  pixels.reserve(points.size());
  for (const Point& point : points) pixels.push_back({layout.X(point.x), layout.Y(point.y)});
  return pixels;
}

void DrawBand(const DrawableBand& band, const std::string& color_class, const Layout& layout,
              SvgWriter& svg) {
  for (const std::vector<Interval>& run : band.runs) {
    std::vector<Interval> pixels;
    pixels.reserve(run.size());
    for (const Interval& i : run) {
      pixels.push_back({layout.X(i.x), layout.Y(i.upper), layout.Y(i.lower)});
    }
    if (pixels.size() == 1) {
      const Interval& only = pixels.front();
      svg.Empty("path", {{"class", "bar " + color_class},
                         {"d", PathOf({{only.x, only.lower}, {only.x, only.upper}})}});
      continue;
    }
    pixels = ThinBand(std::move(pixels));
    std::vector<Point> outline;
    outline.reserve(2 * pixels.size());
    for (const Interval& i : pixels) outline.push_back({i.x, i.lower});
    for (auto i = pixels.rbegin(); i != pixels.rend(); ++i) outline.push_back({i->x, i->upper});
    svg.Empty("path", {{"class", "band " + color_class}, {"d", PathOf(outline) + "Z"}});
  }
}

// The measured part of the x axis in pixels; everything when nothing is beyond it.
std::pair<double, double> MeasuredPixels(const Layout& layout) {
  double from = -std::numeric_limits<double>::infinity();
  double to = std::numeric_limits<double>::infinity();
  for (const Beyond& beyond : layout.beyond) {
    if (beyond.left <= layout.plot.left) {
      from = beyond.right;
    } else {
      to = beyond.left;
    }
  }
  return {from, to};
}

void DrawLine(const DrawableLine& line, const std::string& color_class, const Layout& layout,
              SvgWriter& svg) {
  const auto [from, to] = MeasuredPixels(layout);
  for (const std::vector<Point>& run : line.runs) {
    if (run.size() == 1) {
      // A path of one point is invisible.
      DrawDot(svg, {layout.X(run[0].x), layout.Y(run[0].y)}, 3, 0, color_class, "");
      continue;
    }
    for (const Piece& piece : CutAt(ThinLine(ToPixels(run, layout)), from, to)) {
      svg.Empty("path", {{"class", (piece.beyond ? "line beyond " : "line ") + color_class},
                         {"d", PathOf(piece.points)}});
    }
  }
}

double DotRadius(const Drawable& data) {
  size_t count = 0;
  for (const DrawableDots& dots : data.dots) count += dots.points.size();
  if (count > 800) return 2;
  return count > 200 ? 3 : 4;
}

void DrawDots(const DrawableDots& dots, const Drawable& data, const Layout& layout,
              SvgWriter& svg) {
  const double radius = DotRadius(data);
  const std::string color_class = DotsClass(data, dots);
  const size_t shape = DotsShape(data, dots);
  if (dots.points.size() <= kMostTooltips) {
    for (const Point& point : dots.points) {
      DrawDot(svg, {layout.X(point.x), layout.Y(point.y)}, radius, shape, color_class,
              base::FormatNumber(point.x) + ", " + base::FormatNumber(point.y));
    }
    return;
  }
  for (const Point& pixel : ThinDots(ToPixels(dots.points, layout), kMostDots)) {
    DrawDot(svg, pixel, radius, shape, color_class, "");
  }
}

}  // namespace

std::vector<Piece> CutAt(const std::vector<Point>& line, double from, double to) {
  const auto is_beyond = [&](double x) { return x < from || x > to; };
  std::vector<Piece> pieces;
  const auto add = [&](const Point& a, const Point& b) {
    const bool beyond = is_beyond((a.x + b.x) / 2);
    if (pieces.empty() || pieces.back().beyond != beyond) pieces.push_back({beyond, {a}});
    pieces.back().points.push_back(b);
  };
  for (size_t i = 1; i < line.size(); ++i) {
    Point start = line[i - 1];
    const Point& end = line[i];
    for (const double edge : {from, to}) {
      if (start.x < edge && edge < end.x) {
        const double share = (edge - start.x) / (end.x - start.x);
        const Point cut{edge, start.y + share * (end.y - start.y)};
        add(start, cut);
        start = cut;
      }
    }
    add(start, end);
  }
  return pieces;
}

void DrawMarks(const Drawable& data, const Layout& layout, SvgWriter& svg) {
  // Named by its geometry: two charts of one page that share the name share the clip as well.
  const Rect& plot = layout.plot;
  const std::string clip = fmt::format("reckon-clip-{:.0f}-{:.0f}-{:.0f}", plot.left * 100,
                                       plot.top * 100, plot.width * 100);
  svg.Open("clipPath", {{"id", clip}});
  svg.Empty("rect",
            {{"x", plot.left}, {"y", plot.top}, {"width", plot.width}, {"height", plot.height}});
  svg.Close();
  svg.Open("g", {{"clip-path", "url(#" + clip + ")"}});
  for (size_t i = 0; i < data.bands.size(); ++i) {
    DrawBand(data.bands[i], SeriesClass(i), layout, svg);
  }
  svg.Close();
  for (size_t i = 0; i < data.lines.size(); ++i) {
    DrawLine(data.lines[i], SeriesClass(i), layout, svg);
  }
  for (const DrawableDots& dots : data.dots) DrawDots(dots, data, layout, svg);
}

}  // namespace reckon::plot
