#include "app/automl/campaign_files.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text.h"
#include "plot/chart.h"
#include "predict/formula_writer.h"
#include "tables/writer.h"

namespace reckon::app {
namespace {

// Errors are shares here, as aMLLibrary writes them, not percentages.
std::string Share(const std::optional<double>& percent) {
  return percent ? fmt::format("{:.6f}", *percent / 100) : "undefined";
}

std::string MapeLine(const AutomlRow& row, size_t width) {
  return fmt::format("{:<{}} [MAPE]: (Training {} - HP Selection {}){}  {}{}\n", row.label, width,
                     Share(row.training.mape_percent), Share(row.selection.mape_percent),
                     row.validation ? " - Validation " + Share(row.validation->mape_percent) : "",
                     row.hyperparameters, row.best ? "  <- best by HP Selection" : "");
}

size_t Width(const std::vector<AutomlRow>& rows) {
  size_t width = 0;
  for (const AutomlRow& row : rows) width = std::max(width, row.label.size());
  return width;
}

// The validation error of each technique, as a mean over the runs.
std::string MeansText(const AutomlReport& report) {
  std::string text = fmt::format("\nMean over {}\n", base::Count(report.runs.size(), "run"));
  const size_t width = Width(report.models);
  for (const AutomlRow& model : report.models) {
    double sum = 0;
    size_t count = 0;
    for (const AutomlRun& run : report.runs) {
      for (const AutomlRow& row : run.techniques) {
        if (row.label != model.label || !row.validation->mape_percent) continue;
        sum += *row.validation->mape_percent;
        ++count;
      }
    }
    const std::optional<double> mean =
        count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
    text += fmt::format("{:<{}} [MAPE]: Validation {}\n", model.label, width, Share(mean));
  }
  return text;
}

std::string MetricsLines(const core::Metrics& metrics) {
  return fmt::format("  MAPE: {}\n  RMSE: {}\n  R^2 : {}\n", Share(metrics.mape_percent),
                     base::RoundTrip(metrics.rmse),
                     metrics.r2 ? fmt::format("{:.6f}", *metrics.r2) : "undefined");
}

void AppendRow(const std::string& run, const AutomlRow& row, std::string& out) {
  const auto add = [&](const std::string& cell) {
    if (!out.empty() && out.back() != '\n') out += ',';
    tables::AppendCell(out, cell, ',');
  };
  const auto number = [](const std::optional<double>& value, double factor) {
    return value ? base::RoundTrip(*value * factor) : std::string();
  };
  add(run);
  add(row.label);
  add(row.hyperparameters);
  const std::optional<core::Metrics> parts[] = {row.training, row.selection, row.validation};
  for (const std::optional<core::Metrics>& part : parts) {
    add(part ? number(part->mape_percent, 0.01) : "");
    add(part ? base::RoundTrip(part->rmse) : "");
    add(part ? number(part->r2, 1) : "");
  }
  add(row.best ? "True" : "False");
  out += '\n';
}

}  // namespace

std::string ResultsText(const AutomlReport& report, const std::vector<learn::Model>& models) {
  std::string text =
      fmt::format("{}: {}, {}, target '{}', {}\n", report.data, base::Count(report.rows, "row"),
                  base::Count(report.inputs.size(), "input"), report.target,
                  base::Count(report.candidates, "candidate"));
  for (size_t r = 0; r < report.runs.size(); ++r) {
    const AutomlRun& run = report.runs[r];
    text += fmt::format("\nRun {}: {}, validation on {}\n", r, run.method,
                        base::Count(run.validation_rows, "row"));
    for (const AutomlRow& row : run.techniques) text += MapeLine(row, Width(run.techniques));
  }
  if (report.runs.size() > 1) text += MeansText(report);
  text += "\nFitted to all rows\n";
  for (const AutomlRow& row : report.models) text += MapeLine(row, Width(report.models));
  text += fmt::format("\nBest model: {} (best.json)\n", report.models.front().label);
  for (size_t m = 0; m < models.size(); ++m) {
    text += "\n" + TechniqueText(report.models[m], models[m]);
  }
  if (!report.warnings.empty()) text += "\n";
  for (const std::string& warning : report.warnings) text += "warning: " + warning + "\n";
  return text;
}

std::string ResultsTable(const AutomlReport& report) {
  std::string text = "run,technique,hyperparameters";
  for (const char* part : {"training", "hp_selection", "validation"}) {
    for (const char* metric : {"mape", "rmse", "r2"}) text += fmt::format(",{}_{}", part, metric);
  }
  text += ",best\n";
  for (size_t r = 0; r < report.runs.size(); ++r) {
    for (const AutomlRow& row : report.runs[r].techniques) AppendRow(std::to_string(r), row, text);
  }
  for (const AutomlRow& row : report.models) AppendRow("all rows", row, text);
  return text;
}

std::string TechniqueText(const AutomlRow& row, const learn::Model& model) {
  std::string text = fmt::format("{} ({}): {}\n", row.label, row.technique, row.hyperparameters);
  text += fmt::format("on all {} rows, which it was fitted to\n", model.rows);
  text += MetricsLines(row.training);
  text += "on rows left out to choose it (HP Selection)\n" + MetricsLines(row.selection);
  return text + predict::WriteFormula(model, predict::FormulaLanguage::kText) + "\n";
}

std::string DrawHeldOut(const std::string& label, const std::string& target, const Gathered& rows) {
  plot::Chart chart;
  chart.title = label + ": forecast against measured";
  chart.subtitle = "validation rows of all runs";
  chart.x_label = "measured " + target;
  chart.y_label = "forecast " + target;
  plot::Series dots{"validation rows", {}};
  for (size_t i = 0; i < rows.truth.size(); ++i) {
    dots.points.push_back({rows.truth[i], rows.predicted[i]});
  }
  if (!rows.truth.empty()) {
    const auto [low, high] = std::minmax_element(rows.truth.begin(), rows.truth.end());
    chart.lines.push_back({"equal", {{*low, *low}, {*high, *high}}});
    // Times span orders of magnitude; small ones must not end up in a corner.
    chart.log_x = chart.log_y = *low > 0 && *high / *low > 30;
  }
  chart.dots.emplace_back();  // belongs to the line
  chart.dots.push_back(std::move(dots));
  return plot::RenderSvg(chart);
}

}  // namespace reckon::app
