// An axis: which range it shows, how values map onto it, and how it is marked.
#pragma once

#include <string>
#include <vector>

#include "plot/chart.h"
#include "plot/drawable.h"

namespace reckon::plot {

struct Tick {
  double value = 0;
  std::string label;
};

struct Axis {
  bool log = false;
  double lower = 0;  // < upper; both > 0 when log
  double upper = 1;
  std::vector<Tick> ticks;

  // 0 at `lower`, 1 at `upper`; finite for every number the axis was made from.
  double Fraction(double value) const;
};

// Shows all the data with a little room at both ends.
Axis MakeXAxis(const Chart& chart, const Drawable& data);

// Begins at zero when the data comes near it, so that lengths can be compared. Lines and dots
// always fit; a band may triple their range at most and is cut beyond.
Axis MakeYAxis(const Chart& chart, const Drawable& data);

}  // namespace reckon::plot
