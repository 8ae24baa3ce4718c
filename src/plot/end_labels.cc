#include "plot/end_labels.h"

#include <algorithm>

#include "plot/layout.h"
#include "plot/text_fit.h"
#include "plot/theme.h"

namespace reckon::plot {
namespace {

constexpr double kLongestName = 150;
constexpr double kLeaderLength = 12;
constexpr double kLineHeight = 15;
constexpr size_t kMostLabels = 16;
constexpr double kAtRightEdge = 0.94;  // fraction of the axis

std::string Label(const DrawableLine& line) { return FitText(line.name, kTextSize, kLongestName); }

}  // namespace

bool CanLabelEnds(const Drawable& data, const Axis& x_axis) {
  if (data.lines.size() < 2 || data.lines.size() > kMostLabels) return false;
  return std::all_of(data.lines.begin(), data.lines.end(), [&](const DrawableLine& line) {
    return !line.name.empty() && !line.runs.empty() &&
           x_axis.Fraction(line.runs.back().back().x) >= kAtRightEdge;
  });
}

double EndLabelsWidth(const Drawable& data) {
  double widest = 0;
  for (const DrawableLine& line : data.lines) {
    widest = std::max(widest, TextWidth(Label(line), kTextSize));
  }
  // The estimate is generous already: the margin of the page is the only gap needed on the right.
  return kLeaderLength + widest;
}

std::vector<EndLabel> PlaceEndLabels(const Drawable& data, const Layout& layout) {
  std::vector<EndLabel> labels;
  for (size_t i = 0; i < data.lines.size(); ++i) {
    const Point end = data.lines[i].runs.back().back();
    labels.push_back({i, Label(data.lines[i]), layout.X(end.x), layout.Y(end.y),
                      layout.plot.right() + kLeaderLength});
  }
  std::stable_sort(labels.begin(), labels.end(),
                   [](const EndLabel& a, const EndLabel& b) { return a.line_y < b.line_y; });
  std::vector<double> wanted;
  wanted.reserve(labels.size());
  for (const EndLabel& label : labels) wanted.push_back(label.line_y);
  const std::vector<double> placed =
      SpreadApart(wanted, kLineHeight, layout.plot.top, layout.plot.bottom());
  for (size_t i = 0; i < labels.size(); ++i) labels[i].y = placed[i];
  return labels;
}

std::vector<double> SpreadApart(const std::vector<double>& wanted, double gap, double lower,
                                double upper) {
  // With i * gap taken off, "at least gap apart" is "not descending": isotonic regression, solved
  // by pooling adjacent violators (Ayer et al. 1955).
  struct Pool {
    double sum = 0;
    size_t size = 0;
    double mean() const { return sum / static_cast<double>(size); }
  };
  std::vector<Pool> pools;
  for (size_t i = 0; i < wanted.size(); ++i) {
    pools.push_back({wanted[i] - gap * static_cast<double>(i), 1});
    while (pools.size() > 1 && pools[pools.size() - 2].mean() > pools.back().mean()) {
      const Pool last = pools.back();
      pools.pop_back();
      pools.back().sum += last.sum;
      pools.back().size += last.size;
    }
  }
  const double total = gap * static_cast<double>(wanted.empty() ? 0 : wanted.size() - 1);
  std::vector<double> placed;
  for (const Pool& pool : pools) {
    // Clamping keeps the order, so the gaps stay.
    const double base = std::max(lower, std::min(pool.mean(), upper - total));
    for (size_t k = 0; k < pool.size; ++k) {
      placed.push_back(base + gap * static_cast<double>(placed.size()));
    }
  }
  return placed;
}

}  // namespace reckon::plot
