// What of a Chart can be drawn: finite numbers only, sorted by x, cut where numbers are missing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plot/chart.h"

namespace reckon::plot {

struct Interval {
  double x = 0;
  double lower = 0;  // <= upper
  double upper = 0;
};

struct DrawableLine {
  std::string name;
  std::vector<std::vector<Point>> runs;  // none is empty
};

struct DrawableBand {
  std::string name;
  std::vector<std::vector<Interval>> runs;  // none is empty
};

struct DrawableDots {
  std::string name;
  size_t series = 0;  // whose colour and place they share
  std::vector<Point> points;
};

// Elements stand at the same index as in the Chart, empty or not.
struct Drawable {
  std::vector<DrawableLine> lines;
  std::vector<DrawableBand> bands;
  std::vector<DrawableDots> dots;
  size_t series_count = 0;  // of distinct colours

  bool IsEmpty() const;
  std::vector<double> AllX() const;
  // Of lines and dots; the bands' ends are apart because a wild interval must not squeeze the rest.
  std::vector<double> AllY() const;
  std::vector<double> BandEnds() const;
};

Drawable MakeDrawable(const Chart& chart);

}  // namespace reckon::plot
