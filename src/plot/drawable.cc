#include "plot/drawable.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/check.h"

namespace reckon::plot {
namespace {

// Beyond these, differences and ratios leave the range of double.
constexpr double kLargest = 1e300;
constexpr double kSmallest = 1e-290;

std::optional<double> Usable(double number) {
  if (!(std::fabs(number) <= kLargest)) return std::nullopt;
  return std::fabs(number) < kSmallest ? 0.0 : number;
}

// A place on the x axis; with categories only their indices are.
std::optional<double> UsableX(const Chart& chart, double x) {
  const bool category =
      x >= 0 && x < static_cast<double>(chart.categories.size()) && x == std::trunc(x);
  return chart.categories.empty() || category ? Usable(x) : std::nullopt;
}

template <typename T>
bool BeforeInX(const T& a, const T& b) {
  return a.x < b.x;
}

// Items in order of x, a new run after every gap; `make(i)` is nullopt where item i cannot be
// drawn but has a place on the x axis.
template <typename T, typename Make>
std::vector<std::vector<T>> MakeRuns(size_t count, const Make& make) {
  struct Slot {
    double x = 0;
    std::optional<T> item;
  };
  std::vector<Slot> slots;
  slots.reserve(count);
  for (size_t i = 0; i < count; ++i) {
    const auto [x, item] = make(i);
    if (x) slots.push_back({*x, item});
  }
  std::stable_sort(slots.begin(), slots.end(), BeforeInX<Slot>);
  std::vector<std::vector<T>> runs;
  bool gap = true;
  for (const Slot& slot : slots) {
    if (slot.item) {
      if (gap) runs.emplace_back();
      runs.back().push_back(*slot.item);
    }
    gap = !slot.item.has_value();
  }
  return runs;
}

DrawableLine MakeLine(const Chart& chart, const Series& series) {
  const auto make = [&](size_t i) {
    const std::optional<double> x = UsableX(chart, series.points[i].x);
    const std::optional<double> y = Usable(series.points[i].y);
    return std::pair{x, x && y ? std::optional(Point{*x, *y}) : std::nullopt};
  };
  return {series.name, MakeRuns<Point>(series.points.size(), make)};
}

DrawableBand MakeBand(const Chart& chart, const Band& band) {
  RECKON_CHECK(band.lower.size() == band.x.size() && band.upper.size() == band.x.size());
  const auto make = [&](size_t i) {
    const std::optional<double> x = UsableX(chart, band.x[i]);
    const std::optional<double> lower = Usable(band.lower[i]);
    const std::optional<double> upper = Usable(band.upper[i]);
    std::optional<Interval> interval;
    if (x && lower && upper) interval = {*x, std::min(*lower, *upper), std::max(*lower, *upper)};
    return std::pair{x, interval};
  };
  return {band.name, MakeRuns<Interval>(band.x.size(), make)};
}

DrawableDots MakeDots(const Chart& chart, size_t index) {
  const Series& series = chart.dots[index];
  DrawableDots dots{series.name, index, {}};
  for (size_t i = 0; i < chart.lines.size(); ++i) {
    if (!series.name.empty() && chart.lines[i].name == series.name) dots.series = i;
  }
  for (const Point& point : series.points) {
    const std::optional<double> x = UsableX(chart, point.x);
    const std::optional<double> y = Usable(point.y);
    if (x && y) dots.points.push_back({*x, *y});
  }
  return dots;
}

}  // namespace

Drawable MakeDrawable(const Chart& chart) {
  Drawable drawable;
  for (const Series& series : chart.lines) drawable.lines.push_back(MakeLine(chart, series));
  for (const Band& band : chart.bands) drawable.bands.push_back(MakeBand(chart, band));
  drawable.series_count = std::max(chart.lines.size(), chart.bands.size());
  for (size_t i = 0; i < chart.dots.size(); ++i) {
    drawable.dots.push_back(MakeDots(chart, i));
    drawable.series_count = std::max(drawable.series_count, drawable.dots.back().series + 1);
  }
  return drawable;
}

bool Drawable::IsEmpty() const { return AllX().empty(); }

std::vector<double> Drawable::AllX() const {
  std::vector<double> all;
  for (const DrawableLine& line : lines) {
    for (const auto& run : line.runs) {
      for (const Point& point : run) all.push_back(point.x);
    }
  }
  for (const DrawableBand& band : bands) {
    for (const auto& run : band.runs) {
      for (const Interval& interval : run) all.push_back(interval.x);
    }
  }
  for (const DrawableDots& series : dots) {
    for (const Point& point : series.points) all.push_back(point.x);
  }
  return all;
}

std::vector<double> Drawable::AllY() const {
  std::vector<double> all;
  for (const DrawableLine& line : lines) {
    for (const auto& run : line.runs) {
      for (const Point& point : run) all.push_back(point.y);
    }
  }
  for (const DrawableDots& series : dots) {
    for (const Point& point : series.points) all.push_back(point.y);
  }
  return all;
}

std::vector<double> Drawable::BandEnds() const {
  std::vector<double> all;
  for (const DrawableBand& band : bands) {
    for (const auto& run : band.runs) {
      for (const Interval& interval : run) {
        all.push_back(interval.lower);
        all.push_back(interval.upper);
      }
    }
  }
  return all;
}

}  // namespace reckon::plot
