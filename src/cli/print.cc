#include "cli/print.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/units.h"
#include "cli/text_table.h"

namespace reckon::cli {
namespace {

using Align = TextTable::Align;

std::string Optional(const std::optional<double>& value, const char* format) {
  return value ? fmt::format(fmt::runtime(format), *value) : "-";
}

void AddMetrics(const core::Metrics& metrics, std::vector<std::string>& cells) {
  cells.push_back(PercentText(metrics.mape_percent));
  cells.push_back(base::FormatNumber(metrics.rmse));
  cells.push_back(Optional(metrics.r2, "{:.4f}"));
}

}  // namespace

std::string PercentText(const std::optional<double>& percent) {
  if (percent && *percent >= 1e5) return fmt::format("{:.1e}", *percent);
  return Optional(percent, "{:.2f}");
}

std::string TechniqueTable(const std::vector<app::TechniqueRow>& rows) {
  TextTable table;
  table.AddColumn("", Align::kLeft);
  table.AddColumn("technique", Align::kLeft);
  table.AddColumn("rows of", Align::kLeft);
  table.AddColumn("MAPE %", Align::kRight);
  table.AddColumn("RMSE", Align::kRight);
  table.AddColumn("R2", Align::kRight);
  for (const app::TechniqueRow& row : rows) {
    const auto add = [&](const char* part, const core::Metrics& metrics, bool first) {
      std::vector<std::string> cells{first && row.chosen ? "*" : "", first ? row.technique : "",
                                     part};
      AddMetrics(metrics, cells);
      table.AddRow(std::move(cells));
    };
    add("training", row.training, true);
    add("selection", row.selection, false);
    if (row.validation) add("validation", *row.validation, false);
  }
  std::string text = table.Render();
  for (const app::TechniqueRow& row : rows) {
    text += fmt::format("  {} {}: {}\n", row.chosen ? "*" : " ", row.technique, row.description);
  }
  return text;
}

std::string ForecastTable(const core::Table& questions, const std::vector<std::string>& granted,
                          const std::vector<core::Forecast>& forecasts, size_t limit) {
  TextTable table;
  std::vector<const core::Column*> columns;
  for (const core::Column& column : questions.columns) {
    if (std::find(granted.begin(), granted.end(), column.name()) != granted.end()) continue;
    columns.push_back(&column);
    table.AddColumn(column.name(),
                    column.kind() == core::ColumnKind::kNumber ? Align::kRight : Align::kLeft);
  }
  for (const char* name : {"predicted", "lower", "upper"}) table.AddColumn(name, Align::kRight);
  table.AddColumn("in support", Align::kLeft);
  const size_t shown = std::min(limit, forecasts.size());
  for (size_t row = 0; row < shown; ++row) {
    std::vector<std::string> cells;
    for (const core::Column* column : columns) cells.push_back(column->Text(row));
    const core::Forecast& forecast = forecasts[row];
    for (const double number : {forecast.predicted, forecast.lower, forecast.upper}) {
      cells.push_back(base::FormatNumber(number));
    }
    std::string support = forecast.in_support ? "yes" : "no";
    if (!forecast.outside.empty()) support += ": " + forecast.outside.front();
    cells.push_back(std::move(support));
    table.AddRow(std::move(cells));
  }
  std::string text = table.Render();
  if (shown < forecasts.size()) {
    text +=
        fmt::format("  ... and {} more; --out FILE writes all of them\n", forecasts.size() - shown);
  }
  return text;
}

std::string NoteLines(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) text += "note: " + note + "\n";
  return text;
}

}  // namespace reckon::cli
