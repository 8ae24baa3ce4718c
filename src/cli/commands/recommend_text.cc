#include "cli/commands/recommend_text.h"

#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"
#include "cli/print.h"
#include "cli/text_table.h"

namespace reckon::cli {
namespace {

std::string TrialsTable(const app::SearchReport& report) {
  TextTable table;
  table.AddColumn("", TextTable::Align::kLeft);
  table.AddColumn("configuration", TextTable::Align::kLeft);
  for (const char* name : {"time", "cost"}) table.AddColumn(name, TextTable::Align::kRight);
  table.AddColumn("", TextTable::Align::kLeft);
  for (const app::SearchTrial& trial : report.tried) {
    table.AddRow({trial.row == report.chosen.row ? "*" : "", report.texts[trial.row],
                  base::FormatDuration(trial.seconds), base::FormatNumber(trial.cost),
                  trial.ok ? "" : "failed"});
  }
  return table.Render();
}

// Those of the front, the chosen one among them or beside them; of a long front evenly some.
std::vector<size_t> RowsToShow(const app::RecommendReport& report) {
  constexpr size_t kMost = 12;
  std::vector<size_t> shown;
  const size_t count = report.front.size();
  for (size_t i = 0; i < count; ++i) {
    const bool some = count <= kMost || i * kMost / count != (i + 1) * kMost / count;
    if (some || report.rows[report.front[i]].knee || report.front[i] == report.chosen) {
      shown.push_back(report.front[i]);
    }
  }
  if (!report.rows[report.chosen].on_front) shown.push_back(report.chosen);
  return shown;
}

std::string ClustersTable(const app::RecommendReport& report) {
  TextTable table;
  table.AddColumn("", TextTable::Align::kLeft);
  table.AddColumn("machine", TextTable::Align::kLeft);
  // What was free to differ, and what it makes of the epochs.
  const app::RecommendRow& first = report.rows.front();
  const bool by_strategy = !first.strategy.empty();
  const bool by_accuracy = first.epochs > 0;
  if (by_strategy) table.AddColumn("strategy", TextTable::Align::kLeft);
  if (by_accuracy) {
    for (const char* name : {"batch", "epochs"}) table.AddColumn(name, TextTable::Align::kRight);
  }
  const std::string at = fmt::format("{} %", base::FormatNumber(100 * report.confidence));
  for (const std::string& name :
       std::vector<std::string>{"workers", "cpus each", "servers", "price/h", "time",
                                "time at " + at, "cost", "cost at " + at}) {
    table.AddColumn(name, TextTable::Align::kRight);
  }
  table.AddColumn("", TextTable::Align::kLeft);
  for (const size_t i : RowsToShow(report)) {
    const app::RecommendRow& row = report.rows[i];
    std::string remark = row.knee ? "knee" : "";
    if (!row.in_support) remark += remark.empty() ? "not measured" : ", not measured";
    std::vector<std::string> cells{row.chosen ? "*" : "", row.type + (row.spot ? " (spot)" : "")};
    if (by_strategy) cells.push_back(row.strategy);
    if (by_accuracy) {
      cells.push_back(base::FormatNumber(row.batch));
      cells.push_back(base::FormatNumber(row.epochs));
    }
    for (std::string& cell : std::vector<std::string>{
             std::to_string(row.workers), base::FormatNumber(row.cpus_per_worker),
             base::FormatNumber(row.servers), base::FormatNumber(row.price_per_hour),
             base::FormatDuration(row.seconds), base::FormatDuration(row.seconds_at),
             base::FormatNumber(row.cost), base::FormatNumber(row.cost_at), remark}) {
      cells.push_back(std::move(cell));
    }
    table.AddRow(cells);
  }
  return table.Render();
}

std::string LimitText(double workers) {
  return std::isinf(workers) ? "" : fmt::format("{:.2f}", workers);
}

}  // namespace

std::string SearchText(const app::SearchReport& report) {
  const auto& chosen = report.chosen;
  return TrialsTable(report) +
         fmt::format(
             "\n{}; {} spent\nrecommended: {}\n  {} a run, {}, {}\n", report.ended,
             base::FormatNumber(report.spent), report.texts[chosen.row],
             base::FormatNumber(chosen.expected_cost), base::FormatDuration(chosen.expected_s),
             chosen.hope
                 ? fmt::format("as expected; nothing has reached its goal yet, this has the "
                               "best chance: {:.0f} %",
                               100 * chosen.success)
             : chosen.tried ? "as tried"
                            : fmt::format("as expected; not tried, {:.0f} % sure to reach its goal",
                                          100 * chosen.success));
}

std::string ClustersText(const app::RecommendReport& report) {
  std::string text = fmt::format("{} of job '{}' by campaign '{}' ({}), {} compared; prices {}\n\n",
                                 report.target, report.job, report.campaign, report.technique,
                                 base::Count(report.rows.size(), "cluster"), report.prices) +
                     ClustersTable(report) + fmt::format("\n* {}\n", report.why);
  if (!report.measure.empty()) text += report.measure + "\n";
  if (!report.plot.empty()) text += "picture in " + report.plot + "\n";
  return text + NoteLines(report.notes);
}

std::string Fc2Text(const app::Fc2Report& report) {
  TextTable table;
  table.AddColumn("", TextTable::Align::kLeft);
  table.AddColumn("workers of type", TextTable::Align::kLeft);
  for (const char* name : {"price/h", "by bandwidth", "by budget", "workers"}) {
    table.AddColumn(name, TextTable::Align::kRight);
  }
  for (const auto& option : report.choice.options) {
    table.AddRow({option.type.name == report.choice.worker.name ? "*" : "", option.type.name,
                  base::FormatNumber(option.type.price_per_hour), LimitText(option.by_bandwidth),
                  LimitText(option.by_budget), LimitText(option.workers)});
  }
  const auto& choice = report.choice;
  return fmt::format("prices: {}\n\n", report.prices) + table.Render() +
         fmt::format("\n* {}: {} of {} and a server {}, {} an hour\n  {}\n", report.algorithm,
                     base::Count(choice.workers, "worker"), choice.worker.name, choice.server.name,
                     base::FormatNumber(choice.price_per_hour), choice.why) +
         NoteLines(report.notes);
}

}  // namespace reckon::cli
