#include <array>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "plot/marks.h"

namespace reckon::plot {
namespace {

using Corner = std::pair<double, double>;

// In radii; sized so that all shapes weigh about the same as the circle.
constexpr std::array<Corner, 4> kSquare{{{-0.9, -0.9}, {0.9, -0.9}, {0.9, 0.9}, {-0.9, 0.9}}};
constexpr std::array<Corner, 4> kDiamond{{{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}}};
constexpr std::array<Corner, 3> kTriangle{{{0, -1.2}, {1.15, 0.9}, {-1.15, 0.9}}};

std::string ClosedPath(Point center, double radius, std::span<const Corner> corners) {
  std::string path;
  for (const auto& [dx, dy] : corners) {
    path +=
        fmt::format("{}{} {}", path.empty() ? "M" : "L", FormatCoordinate(center.x + dx * radius),
                    FormatCoordinate(center.y + dy * radius));
  }
  return path + "Z";
}

}  // namespace

void DrawDot(SvgWriter& svg, Point center, double radius, size_t shape,
             const std::string& color_class, const std::string& tooltip) {
  const std::string classes = "dot " + color_class;
  const auto draw = [&](std::string_view tag, SvgWriter::Attributes attributes) {
    if (tooltip.empty()) {
      svg.Empty(tag, attributes);
      return;
    }
    svg.Open(tag, attributes);
    svg.Text("title", {}, tooltip);
    svg.Close();
  };
  const auto draw_path = [&](std::span<const Corner> corners) {
    draw("path", {{"class", classes}, {"d", ClosedPath(center, radius, corners)}});
  };
  switch (shape % 4) {
    case 1:
      return draw_path(kSquare);
    case 2:
      return draw_path(kDiamond);
    case 3:
      return draw_path(kTriangle);
    default:
      draw("circle", {{"class", classes}, {"cx", center.x}, {"cy", center.y}, {"r", radius}});
  }
}

}  // namespace reckon::plot
