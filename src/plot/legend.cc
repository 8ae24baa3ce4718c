#include "plot/legend.h"

#include <algorithm>

#include "plot/text_fit.h"
#include "plot/theme.h"

namespace reckon::plot {
namespace {

constexpr double kLongestName = 220;
constexpr double kEntryGap = 22;

bool IsNameOfLine(const Drawable& data, const std::string& name) {
  return std::any_of(data.lines.begin(), data.lines.end(),
                     [&](const DrawableLine& line) { return line.name == name; });
}

void AddDots(const Drawable& data, std::vector<LegendEntry>& entries) {
  bool of_lines = false;
  for (const DrawableDots& dots : data.dots) {
    if (dots.points.empty() || dots.name.empty()) continue;
    if (IsNameOfLine(data, dots.name)) {
      of_lines = true;
    } else {
      entries.push_back(
          {LegendEntry::Kind::kDots, DotsClass(data, dots), DotsShape(data, dots), dots.name});
    }
  }
  if (of_lines) entries.push_back({LegendEntry::Kind::kDots, "ink", 0, "measured"});
}

void AddBands(const Drawable& data, std::vector<LegendEntry>& entries) {
  std::vector<std::string> names;
  for (size_t i = 0; i < data.bands.size(); ++i) {
    const DrawableBand& band = data.bands[i];
    const bool known = std::find(names.begin(), names.end(), band.name) != names.end();
    if (band.name.empty() || band.runs.empty() || known) continue;
    names.push_back(band.name);
    const auto same = std::count_if(data.bands.begin(), data.bands.end(),
                                    [&](const DrawableBand& b) { return b.name == band.name; });
    entries.push_back({LegendEntry::Kind::kBand, same > 1 ? "ink" : SeriesClass(i), 0, band.name});
  }
}

}  // namespace

std::vector<LegendEntry> MakeLegend(const Drawable& data, bool lines_named,
                                    const std::string& note) {
  std::vector<LegendEntry> entries;
  for (size_t i = 0; i < data.lines.size() && !lines_named; ++i) {
    const DrawableLine& line = data.lines[i];
    if (line.name.empty() || line.runs.empty()) continue;
    entries.push_back({LegendEntry::Kind::kLine, SeriesClass(i), 0, line.name});
  }
  AddBands(data, entries);
  AddDots(data, entries);
  if (!note.empty()) entries.push_back({LegendEntry::Kind::kShade, "", 0, note});
  for (LegendEntry& entry : entries) entry.text = FitText(entry.text, kTextSize, kLongestName);
  return entries;
}

size_t FlowLegend(std::vector<LegendEntry>& entries, double left, double right) {
  double x = left;
  size_t row = 0;
  for (LegendEntry& entry : entries) {
    entry.x = x;
    const double text_width = TextWidth(entry.text, kTextSize);
    if (x > left && entry.TextX() + text_width > right) {
      entry.x = left;
      ++row;
    }
    entry.row = row;
    x = entry.TextX() + text_width + kEntryGap;
  }
  return entries.empty() ? 0 : row + 1;
}

std::string DotsClass(const Drawable& data, const DrawableDots& dots) {
  return data.series_count > 1 ? SeriesClass(dots.series) : "ink";
}

size_t DotsShape(const Drawable& data, const DrawableDots& dots) {
  return data.series_count > 1 ? dots.series : 0;
}

}  // namespace reckon::plot
