#include "cli/commands/replay_text.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/replay_json.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/print.h"
#include "cli/text_table.h"

namespace reckon::cli {
namespace {

constexpr size_t kPrintedSteps = 20;

// The curve, thinned evenly; the last step and those that reached the grid's error stay.
std::vector<size_t> StepsToPrint(const app::ReplayReport& report) {
  std::vector<size_t> printed;
  const size_t count = report.steps.size();
  const size_t stride = std::max<size_t>(1, (count + kPrintedSteps - 1) / kPrintedSteps);
  for (size_t i = 0; i < count; ++i) {
    if (i % stride == 0 || i + 1 == count || report.reached == i || report.nearly_reached == i) {
      printed.push_back(i);
    }
  }
  return printed;
}

std::string CurveTable(const app::ReplayReport& report) {
  TextTable table;
  for (const char* name :
       {"points", "runs", "time", "of the grid's", "not measured %", "expected %", "all %"}) {
    table.AddColumn(name, TextTable::Align::kRight);
  }
  if (report.priced) table.AddColumn("cost", TextTable::Align::kRight);
  table.AddColumn("model", TextTable::Align::kLeft);
  for (const size_t i : StepsToPrint(report)) {
    const app::ReplayStep& step = report.steps[i];
    std::vector<std::string> cells{
        std::to_string(step.points),          std::to_string(step.measurements),
        base::FormatDuration(step.time_s),    fmt::format("{:.1f} %", 100 * report.TimeShare(step)),
        PercentText(step.unmeasured_percent), PercentText(step.expected_percent),
        PercentText(step.error_percent)};
    if (report.priced) cells.push_back(base::FormatNumber(step.cost));
    cells.push_back(step.model);
    table.AddRow(std::move(cells));
  }
  return table.Render();
}

std::string ReachedText(const app::ReplayReport& report) {
  const auto tell = [&](const char* what, const std::optional<size_t>& at) {
    if (!at) return fmt::format("{} was not reached\n", what);
    const app::ReplayStep& step = report.steps[*at];
    return fmt::format("{} was reached after {} and {}, {:.1f} % of the grid's time\n", what,
                       base::Count(step.points, "point"), base::FormatDuration(step.time_s),
                       100 * report.TimeShare(step));
  };
  return tell("the full grid's error", report.reached) +
         tell("1.05 times that", report.nearly_reached);
}

}  // namespace

Output ReplayOutput(const app::ReplayReport& report) {
  Output output;
  output.json = base::DumpJson(app::ToJson(report));
  output.text = fmt::format(
      "{}: {} in {}, target '{}'\nfull grid: {}{}, error {:.2f} % (each fifth forecast from the "
      "others)\n\ndesign {}\n",
      report.source, base::Count(report.rows, "row"), base::Count(report.points, "point"),
      report.target, base::FormatDuration(report.grid_time_s),
      report.priced ? ", cost " + base::FormatNumber(report.grid_cost) : "",
      report.grid_error_percent,
      report.design + (report.criterion.empty() ? "" : " (" + report.criterion + ")"));
  output.text += CurveTable(report);
  output.text +=
      fmt::format("measured {} of {} in {} and {}, {:.1f} % of the grid's time{}; ended: {}\n",
                  report.measured_points, base::Count(report.points, "point"),
                  base::Count(report.measurements, "run"), base::FormatDuration(report.time_s),
                  100 * report.time_s / report.grid_time_s,
                  report.priced ? ", cost " + base::FormatNumber(report.cost) : "", report.ended);
  output.text += ReachedText(report);
  output.text += NoteLines(report.notes);
  if (!report.out.empty()) output.text += fmt::format("measurements written to {}\n", report.out);
  if (!report.plot.empty()) output.text += fmt::format("picture written to {}\n", report.plot);
  output.result_on_stdout =
      base::IsStandardOutput(report.out) || base::IsStandardOutput(report.plot);
  return output;
}

}  // namespace reckon::cli
