#include "plot/thin.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <utility>

namespace reckon::plot {
namespace {

constexpr size_t kFewPoints = 1000;

int64_t Cell(double coordinate, double size) {
  return static_cast<int64_t>(std::floor(coordinate / size));
}

// Calls visit(begin, end) for every stretch of `items` within one pixel column.
template <typename T, typename Visit>
void ForEachColumn(const std::vector<T>& items, const Visit& visit) {
  for (size_t begin = 0; begin < items.size();) {
    size_t end = begin + 1;
    while (end < items.size() && Cell(items[end].x, 1) == Cell(items[begin].x, 1)) ++end;
    visit(begin, end);
    begin = end;
  }
}

}  // namespace

std::vector<Point> ThinLine(std::vector<Point> line) {
  if (line.size() <= kFewPoints) return line;
  std::vector<Point> thin;
  ForEachColumn(line, [&](size_t begin, size_t end) {
    const auto at = [&](size_t i) { return line.begin() + static_cast<std::ptrdiff_t>(i); };
    const auto [low, high] = std::minmax_element(
        at(begin), at(end), [](const Point& a, const Point& b) { return a.y < b.y; });
    std::array<size_t, 4> keep{begin, static_cast<size_t>(low - line.begin()),
                               static_cast<size_t>(high - line.begin()), end - 1};
    std::sort(keep.begin(), keep.end());
    const auto* const last = std::unique(keep.begin(), keep.end());
    for (const auto* i = keep.begin(); i != last; ++i) thin.push_back(line[*i]);
  });
  return thin;
}

std::vector<Interval> ThinBand(std::vector<Interval> band) {
  if (band.size() <= kFewPoints) return band;
  std::vector<Interval> thin;
  ForEachColumn(band, [&](size_t begin, size_t end) {
    Interval whole = band[begin];
    for (size_t i = begin; i < end; ++i) {
      whole.lower = std::min(whole.lower, band[i].lower);
      whole.upper = std::max(whole.upper, band[i].upper);
    }
    thin.push_back(whole);
    if (end - begin > 1) thin.push_back({band[end - 1].x, whole.lower, whole.upper});
  });
  return thin;
}

std::vector<Point> ThinDots(std::vector<Point> dots, size_t limit) {
  for (double size = 0.5; dots.size() > limit; size *= 1.5) {
    std::set<std::pair<int64_t, int64_t>> taken;
    std::erase_if(dots, [&](const Point& dot) {
      return !taken.insert({Cell(dot.x, size), Cell(dot.y, size)}).second;
    });
  }
  return dots;
}

}  // namespace reckon::plot
