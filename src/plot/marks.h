// The data itself: bands, lines and dots.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plot/chart.h"
#include "plot/drawable.h"
#include "plot/layout.h"
#include "plot/svg_writer.h"

namespace reckon::plot {

// On a numeric x axis. Lines are dashed within layout.beyond.
void DrawMarks(const Drawable& data, const Layout& layout, SvgWriter& svg);

// On an axis of categories: series stand side by side; a band is a bar, a line a short mark.
void DrawCategoryMarks(const Drawable& data, const Layout& layout, SvgWriter& svg);

// One dot of radius `radius`: circle, square, diamond or triangle by `shape`, which repeats.
// `tooltip` may be empty.
void DrawDot(SvgWriter& svg, Point center, double radius, size_t shape,
             const std::string& color_class, const std::string& tooltip);

// A piece of a line that is dashed or not.
struct Piece {
  bool beyond = false;
  std::vector<Point> points;
};

// `line` (pixels, sorted by x) cut where it enters or leaves [from, to]; outside is `beyond`.
std::vector<Piece> CutAt(const std::vector<Point>& line, double from, double to);

}  // namespace reckon::plot
