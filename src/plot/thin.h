// Fewer points that look the same: a chart is some hundred pixels wide, so ten thousand points are
// mostly ink on ink.
#pragma once

#include <cstddef>
#include <vector>

#include "plot/chart.h"
#include "plot/drawable.h"

namespace reckon::plot {

// All in pixels. Lines and bands are sorted by x.

// First, lowest, highest and last point of every pixel column ("M4", Jugel et al., VLDB 2014): the
// drawn line is the same. Short lines stay as they are.
std::vector<Point> ThinLine(std::vector<Point> line);

// Two entries a pixel column, as wide as the widest of it.
std::vector<Interval> ThinBand(std::vector<Interval> band);

// At most `limit` dots: of those that fall into one cell of a grid as fine as the limit allows, the
// first one stays.
std::vector<Point> ThinDots(std::vector<Point> dots, size_t limit);

}  // namespace reckon::plot
