#include "plot/axis.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "plot/tick_labels.h"
#include "plot/ticks.h"

namespace reckon::plot {
namespace {

constexpr double kXRoom = 0.025;  // of the range, at either end
constexpr double kLogYRoom = 0.03;
// Relative to the larger end: a range below this is no range (see LinearTicks).
constexpr double kNarrowest = 1e-7;

struct Range {
  double lower = 0;
  double upper = 1;
};

Range RangeOf(const std::vector<double>& numbers) {
  if (numbers.empty()) return {};
  const auto [lower, upper] = std::minmax_element(numbers.begin(), numbers.end());
  return {*lower, *upper};
}

bool AllPositive(const std::vector<double>& numbers) {
  return !numbers.empty() &&
         std::all_of(numbers.begin(), numbers.end(), [](double n) { return n > 0; });
}

bool AllWhole(const std::vector<double>& numbers) {
  return std::all_of(numbers.begin(), numbers.end(), [](double n) { return n == std::trunc(n); });
}

Range Widened(Range range, bool log) {
  const double size = std::max(std::fabs(range.lower), std::fabs(range.upper));
  if (range.upper - range.lower > kNarrowest * size) return range;
  if (log) return {range.lower / 2, range.upper * 2};
  const double half = size == 0 ? 1 : size / 2;
  return {range.lower - half, range.upper + half};
}

// `lower_share` and `upper_share` of the range added at its ends, in the axis' own space.
Range WithRoom(Range range, bool log, double lower_share, double upper_share) {
  if (log) {
    const double ratio = std::log(range.upper) - std::log(range.lower);
    return {range.lower * std::exp(-lower_share * ratio),
            range.upper * std::exp(upper_share * ratio)};
  }
  const double width = range.upper - range.lower;
  return {range.lower - lower_share * width, range.upper + upper_share * width};
}

std::vector<Tick> Labelled(const std::vector<double>& values,
                           const std::vector<std::string>& labels) {
  std::vector<Tick> ticks;
  for (size_t i = 0; i < values.size(); ++i) ticks.push_back({values[i], labels[i]});
  return ticks;
}

std::vector<Tick> LogAxisTicks(Range range) {
  const std::vector<double> values = LogTicks(range.lower, range.upper);
  return Labelled(values, LogTickLabels(values));
}

Axis CategoryAxis(const std::vector<std::string>& categories) {
  Axis axis;
  axis.lower = -0.5;
  axis.upper = static_cast<double>(categories.size()) - 0.5;
  for (size_t i = 0; i < categories.size(); ++i) {
    axis.ticks.push_back({static_cast<double>(i), categories[i]});
  }
  return axis;
}

// The range of lines and dots, stretched towards the bands' ends by its own size at most.
Range WithBands(Range range, const std::vector<double>& band_ends, bool log) {
  if (band_ends.empty()) return range;
  const Range ends = RangeOf(band_ends);
  const Range limit = WithRoom(Widened(range, log), log, 1, 1);
  return {std::min(range.lower, std::max(ends.lower, limit.lower)),
          std::max(range.upper, std::min(ends.upper, limit.upper))};
}

// Takes zero in when it is not farther from the data than the data is wide.
Range TowardsZero(Range range) {
  if (range.lower > 0 && range.lower <= range.upper / 2) range.lower = 0;
  if (range.upper < 0 && range.upper >= range.lower / 2) range.upper = 0;
  return range;
}

}  // namespace

double Axis::Fraction(double value) const {
  if (log) {
    return (std::log(value) - std::log(lower)) / (std::log(upper) - std::log(lower));
  }
  return (value - lower) / (upper - lower);
}

Axis MakeXAxis(const Chart& chart, const Drawable& data) {
  if (!chart.categories.empty()) return CategoryAxis(chart.categories);
  const std::vector<double> all = data.AllX();
  const Range exact = RangeOf(all);
  Axis axis;
  axis.log = chart.log_x && AllPositive(all);
  const Range widened = Widened(exact, axis.log);
  const Range range = WithRoom(widened, axis.log, kXRoom, kXRoom);
  axis.lower = range.lower;
  axis.upper = range.upper;
  if (!axis.log) {
    const double min_step = !all.empty() && AllWhole(all) ? 1 : 0;
    const std::vector<double> values =
        LinearTicks(widened.lower, widened.upper, TickFit::kInside, min_step);
    axis.ticks = Labelled(values, LinearTickLabels(values));
  } else if (IsPowerOfTwo(exact.lower) && IsPowerOfTwo(exact.upper) &&
             exact.upper >= 4 * exact.lower) {
    const std::vector<double> values = PowerOfTwoTicks(range.lower, range.upper);
    axis.ticks = Labelled(values, PowerOfTwoTickLabels(values));
  } else {
    axis.ticks = LogAxisTicks(range);
  }
  return axis;
}

Axis MakeYAxis(const Chart& chart, const Drawable& data) {
  std::vector<double> all = data.AllY();
  const std::vector<double> band_ends = data.BandEnds();
  if (all.empty()) all = band_ends;
  Axis axis;
  axis.log = chart.log_y && AllPositive(all) && (band_ends.empty() || AllPositive(band_ends));
  Range range = Widened(WithBands(RangeOf(all), band_ends, axis.log), axis.log);
  if (axis.log) {
    range = WithRoom(range, true, kLogYRoom, kLogYRoom);
    axis.ticks = LogAxisTicks(range);
  } else {
    range = TowardsZero(range);
    const std::vector<double> values = LinearTicks(range.lower, range.upper, TickFit::kCover);
    axis.ticks = Labelled(values, LinearTickLabels(values));
    range = {values.front(), values.back()};
  }
  axis.lower = range.lower;
  axis.upper = range.upper;
  return axis;
}

}  // namespace reckon::plot
