// Where everything of a chart goes, in pixels, decided before the first element is written: margins
// as wide as the longest label, rows above the plot as many as the legend needs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "plot/axis.h"
#include "plot/chart.h"
#include "plot/drawable.h"
#include "plot/end_labels.h"
#include "plot/legend.h"

namespace reckon::plot {

struct Rect {
  double left = 0;
  double top = 0;
  double width = 0;
  double height = 0;

  double right() const { return left + width; }
  double bottom() const { return top + height; }
};

// A stretch of the x axis outside the measured range.
struct Beyond {
  double left = 0;
  double right = 0;
  std::string label;  // empty when there is no room for it
};

struct Layout {
  double width = 0;
  double height = 0;
  double margin = 0;  // left and right of title and legend
  double title_y = 0;
  double subtitle_y = 0;
  double y_label_y = 0;
  double shade_top = 0;  // shades reach above the plot, where their labels stand
  double x_label_y = 0;
  Rect plot;
  Axis x_axis;
  Axis y_axis;
  size_t x_label_stride = 1;  // every how many of the x ticks are labelled
  std::vector<LegendEntry> legend;
  std::vector<EndLabel> end_labels;
  std::vector<Beyond> beyond;

  double X(double x) const { return plot.left + x_axis.Fraction(x) * plot.width; }
  // Kept near the plot, so that a number far outside does not make a coordinate of 300 digits.
  double Y(double y) const;
};

Layout MakeLayout(const Chart& chart, const Drawable& data);

}  // namespace reckon::plot
