// Names of lines right of the plot, each beside the end of its line, so that nobody has to carry a
// colour from a legend to a line.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plot/axis.h"
#include "plot/drawable.h"

namespace reckon::plot {

struct Layout;

struct EndLabel {
  size_t series = 0;
  std::string text;
  double line_x = 0;  // where the line ends
  double line_y = 0;
  double x = 0;  // where the text begins, and its middle
  double y = 0;
};

// Whether there are several lines, all named, that end at the right edge.
bool CanLabelEnds(const Drawable& data, const Axis& x_axis);

// Room the labels need right of the plot.
double EndLabelsWidth(const Drawable& data);

// As near to the ends of the lines as possible without touching each other.
std::vector<EndLabel> PlaceEndLabels(const Drawable& data, const Layout& layout);

// `wanted` in ascending order, moved as little as possible (least squares) so that neighbours are
// at least `gap` apart; within [lower, upper] as far as there is room.
std::vector<double> SpreadApart(const std::vector<double>& wanted, double gap, double lower,
                                double upper);

}  // namespace reckon::plot
