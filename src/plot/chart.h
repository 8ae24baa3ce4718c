// Charts of scaling curves as SVG: forecast lines with their intervals, measured dots, and a plain
// mark of where measuring ended and extrapolating begins. One self-contained file: it scales, knows
// light and dark pages, can be read by a screen reader, and needs no script and no font.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace reckon::plot {

struct Point {
  double x = 0;
  double y = 0;
};

struct Series {
  std::string name;
  std::vector<Point> points;
};

// lower[i]..upper[i] at x[i]; all three are equally long.
struct Band {
  std::string name;  // "90 % interval"
  std::vector<double> x;
  std::vector<double> lower;
  std::vector<double> upper;
};

// What to draw, in the data's own units. Points may come in any order; those that are not finite
// (or beyond +-1e300) are left out and leave a gap in their line or band. Eight series have colours
// of their own. A series or band without a name is not in the legend.
struct Chart {
  std::string title;
  std::string subtitle;
  std::string x_label;
  std::string y_label;

  std::vector<Series> lines;  // forecasts
  std::vector<Band> bands;    // bands[i] belongs to lines[i] and has its colour
  std::vector<Series> dots;  // measurements; coloured like the line of the same name, or the same i

  // The x range that was measured. What lies outside is shaded and labelled "beyond the measured
  // range", and lines are dashed there.
  std::optional<std::pair<double, double>> measured_range;

  // An axis whose data has a number <= 0 is linear all the same.
  bool log_x = false;
  bool log_y = false;

  // When not empty: x is an index into these names. Lines become one mark a category, bands bars.
  std::vector<std::string> categories;
};

// The whole SVG document. The same chart gives the same bytes. Thousands of points are thinned to
// what the eye can tell apart, long texts end in an ellipsis. Never fails: a chart without data
// says so. Thread-safe.
std::string RenderSvg(const Chart& chart);

}  // namespace reckon::plot
