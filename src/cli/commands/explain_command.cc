#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/report_json.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/commands/all.h"
#include "cli/print.h"
#include "cli/text_table.h"

namespace reckon::cli {
namespace {

using Align = TextTable::Align;

std::string ContributionText(const app::ExplainReport& report) {
  const bool log_scale = report.scale == "log";
  std::string text = fmt::format(
      "\nforecast {} (from {} to {}){}\n", base::FormatNumber(report.forecast->predicted),
      base::FormatNumber(report.forecast->lower), base::FormatNumber(report.forecast->upper),
      report.forecast->in_support ? "" : ", outside what was measured");
  for (const std::string& why : report.forecast->outside) text += "  " + why + "\n";
  if (report.contributions.empty()) {
    return text + "  a tree has no terms to add up; its branches are above\n";
  }
  TextTable table;
  table.AddColumn("term", Align::kLeft);
  table.AddColumn(log_scale ? "adds to log(" + report.target + ")" : "adds", Align::kRight);
  for (const core::Contribution& part : report.contributions) {
    table.AddRow({part.term, base::FormatNumber(part.amount)});
  }
  return text + table.Render();
}

std::string ParameterText(const app::ExplainReport& report) {
  TextTable table;
  table.AddColumn("parameter", Align::kLeft);
  table.AddColumn("value", Align::kRight);
  table.AddColumn(fmt::format("mean of {} fits", report.fits), Align::kRight);
  table.AddColumn("deviation", Align::kRight);
  for (const app::ExplainedParameter& parameter : report.parameters) {
    table.AddRow({parameter.name, base::FormatNumber(parameter.value),
                  base::FormatNumber(parameter.mean), base::FormatNumber(parameter.deviation)});
  }
  return table.Render() + "\n";
}

class ExplainCommand final : public Command {
 public:
  std::string name() const override { return "explain"; }
  std::string summary() const override { return "show a model's formula and what it rests on"; }
  std::string details() const override {
    return "Examples:\n"
           "  reckon explain --model model.json\n"
           "  reckon explain --model model.json --set workers=48     terms of one forecast\n"
           "  reckon explain --model model.json --format python      a function to paste\n";
  }

  void Declare(OptionSet& options) override {
    options.Text("-m,--model", &request_.model, "model file, or name of a model in the store");
    options.Text("--format", &request_.format, "text (default), latex, python or cpp");
    options.Texts("--set", &request_.set, "COLUMN=VALUE: explain the forecast for these values");
  }

  base::Result<Output> Run(const app::Context& context) override {
    RECKON_ASSIGN(const app::ExplainReport report, app::Explain(request_, context));
    Output output;
    output.json = base::DumpJson(app::ToJson(report));
    if (report.format != "text") {
      output.text = report.formula;
      return output;
    }
    output.text =
        fmt::format("{}: {} ({}), from {} rows{}\n\n", report.model, report.technique,
                    report.description, report.rows,
                    report.extrapolate.empty()
                        ? ""
                        : ", chosen to forecast beyond the measured " + report.extrapolate);
    output.text += report.formula + "\n";
    for (const std::string& line : report.scaling) output.text += line + "\n";
    if (!report.scaling.empty()) output.text += "\n";
    if (report.fits > 0) output.text += ParameterText(report);
    TextTable columns;
    columns.AddColumn("column", Align::kLeft);
    columns.AddColumn("kind", Align::kLeft);
    columns.AddColumn("measured", Align::kLeft);
    for (const app::ExplainedColumn& column : report.columns) {
      columns.AddRow({column.name, column.kind, column.measured});
    }
    output.text += columns.Render() + "\n" + TechniqueTable(report.leaderboard);
    if (report.forecast) output.text += ContributionText(report);
    output.text += NoteLines(report.notes);
    return output;
  }

 private:
  app::ExplainRequest request_;
};

}  // namespace

std::unique_ptr<Command> MakeExplainCommand() { return std::make_unique<ExplainCommand>(); }

}  // namespace reckon::cli
