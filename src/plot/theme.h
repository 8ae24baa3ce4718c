// Colours and type of all charts.
#pragma once

#include <cstddef>
#include <string>

namespace reckon::plot {

constexpr double kTitleSize = 17;
constexpr double kBoldWidth = 1.12;  // of bold letters, relative to regular ones
constexpr double kTextSize = 12;
constexpr double kSubtitleSize = 13;
constexpr size_t kSeriesColors = 8;

// The style sheet, with a dark variant for readers who prefer one. Its rules apply below an
// element of class "reckon-chart" only, so that several charts and a page can share a document.
std::string StyleSheet();

// The class that gives an element the colour (`currentColor`) of series i; they repeat after
// kSeriesColors.
std::string SeriesClass(size_t series);

}  // namespace reckon::plot
