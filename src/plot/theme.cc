#include "plot/theme.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

namespace reckon::plot {
namespace {

struct Palette {
  std::string_view page, ink, muted, grid, axis, shade;
  // Okabe and Ito's colours, which people with any colour blindness can tell apart; their yellow
  // and black are replaced, since one vanishes on white paper and the other is the ink.
  std::array<std::string_view, kSeriesColors> series;
};

constexpr Palette kLight{
    "#ffffff",
    "#1f2933",
    "#5b6875",
    "#e6e9ed",
    "#9aa5b1",
    "#f4f5f7",
    {"#0072b2", "#d55e00", "#009e73", "#b8558f", "#e69f00", "#56b4e9", "#7a2a55", "#6b7280"}};
constexpr Palette kDark{
    "#14181d",
    "#e6e9ed",
    "#a3adb8",
    "#2a3138",
    "#5b6875",
    "#1c2228",
    {"#4aa8e8", "#ff8a45", "#2fcc9f", "#e48fc3", "#f6c14d", "#9bd6f7", "#d3719f", "#a9b0bb"}};

constexpr std::string_view kShapes =
    ".reckon-chart text{font-family:system-ui,-apple-system,Segoe UI,Roboto,"
    "Helvetica Neue,Arial,Noto Sans,DejaVu Sans,sans-serif;font-size:12px}"
    ".reckon-chart .title{font-size:17px;font-weight:600}"
    ".reckon-chart .subtitle{font-size:13px}"
    ".reckon-chart .number{font-variant-numeric:tabular-nums}"
    ".reckon-chart .right{text-anchor:end}"
    ".reckon-chart .middle{text-anchor:middle}"
    ".reckon-chart .note{font-size:11px;font-style:italic}"
    ".reckon-chart .grid{stroke-width:1}"
    ".reckon-chart .axis{stroke-width:1}"
    ".reckon-chart .band{fill:currentColor;fill-opacity:.16;stroke:none}"
    ".reckon-chart .bar{stroke:currentColor;stroke-opacity:.3;stroke-width:2}"
    ".reckon-chart .line{fill:none;stroke:currentColor;stroke-width:2.25;stroke-linejoin:round;"
    "stroke-linecap:round}"
    ".reckon-chart .beyond{stroke-dasharray:6 5;stroke-linecap:butt}"
    ".reckon-chart .mark{stroke:currentColor;stroke-width:3;stroke-linecap:butt}"
    ".reckon-chart .leader{fill:none;stroke:currentColor;stroke-width:1}"
    ".reckon-chart .dot{fill:currentColor;stroke-width:1.25}";

std::string Colors(const Palette& palette) {
  std::string css = fmt::format(
      ".reckon-chart .page{{fill:{0}}}"
      ".reckon-chart .dot{{stroke:{0}}}"
      ".reckon-chart text,.reckon-chart .title{{fill:{1}}}"
      ".reckon-chart .ink{{color:{1}}}"
      ".reckon-chart .muted{{fill:{2}}}"
      ".reckon-chart .grid{{stroke:{3}}}"
      ".reckon-chart .axis{{stroke:{4}}}"
      ".reckon-chart .shade{{fill:{5}}}",
      palette.page, palette.ink, palette.muted, palette.grid, palette.axis, palette.shade);
  for (size_t i = 0; i < palette.series.size(); ++i) {
    css += fmt::format(".reckon-chart .s{}{{color:{}}}", i, palette.series[i]);
  }
  return css;
}

}  // namespace

std::string StyleSheet() {
  return fmt::format("{}{}@media (prefers-color-scheme:dark){{{}}}", kShapes, Colors(kLight),
                     Colors(kDark));
}

std::string SeriesClass(size_t series) { return fmt::format("s{}", series % kSeriesColors); }

}  // namespace reckon::plot
