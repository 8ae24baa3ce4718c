// The legend: one entry for each thing that needs a name, in rows above the plot.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "plot/drawable.h"

namespace reckon::plot {

struct LegendEntry {
  enum class Kind { kLine, kDots, kBand, kShade };
  Kind kind = Kind::kLine;
  std::string color_class;
  size_t shape = 0;  // of dots
  std::string text;
  double x = 0;
  size_t row = 0;
  double y = 0;  // baseline of the text

  double SwatchWidth() const { return kind == Kind::kDots ? 10 : 24; }
  double TextX() const { return x + SwatchWidth() + 8; }
};

constexpr double kLegendRowHeight = 20;

// `lines_named`: the lines carry their names themselves. `note` is an entry for the shade, unless
// empty. Bands of one name share an entry, and so do the dots of lines that are named already.
std::vector<LegendEntry> MakeLegend(const Drawable& data, bool lines_named,
                                    const std::string& note);

// Sets x and row of every entry, from left to right and then down; returns the number of rows.
size_t FlowLegend(std::vector<LegendEntry>& entries, double left, double right);

// The colour class of dots: ink when there is nothing to tell apart.
std::string DotsClass(const Drawable& data, const DrawableDots& dots);
// The shape of dots: circles when there is nothing to tell apart.
size_t DotsShape(const Drawable& data, const DrawableDots& dots);

}  // namespace reckon::plot
