#include "app/replay_chart.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "plot/chart.h"

namespace reckon::app {

std::string DrawReplay(const ReplayReport& report) {
  plot::Chart chart;
  chart.title = fmt::format("Error of forecasts of {} by time spent on measuring", report.target);
  chart.subtitle =
      fmt::format("design {}; the full grid takes {} for {}", report.design,
                  base::FormatDuration(report.grid_time_s), base::Count(report.points, "point"));
  chart.x_label = "share of the full grid's measuring time, %";
  chart.y_label = "mean absolute percentage error";
  chart.log_y = true;
  plot::Series real{"points not measured", {}};
  plot::Series expected{"as expected", {}};
  plot::Series grid{"full grid", {}};
  for (const ReplayStep& step : report.steps) {
    const double x = 100 * report.TimeShare(step);
    if (step.unmeasured_percent) real.points.push_back({x, *step.unmeasured_percent});
    if (step.expected_percent) expected.points.push_back({x, *step.expected_percent});
    grid.points.push_back({x, report.grid_error_percent});
  }
  chart.lines = {std::move(real), std::move(expected), std::move(grid)};
  return plot::RenderSvg(chart);
}

}  // namespace reckon::app
