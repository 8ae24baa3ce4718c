#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/report_json.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/commands/all.h"
#include "cli/commands/learn_options.h"
#include "cli/print.h"
#include "cli/text_table.h"

namespace reckon::cli {
namespace {

using Align = TextTable::Align;

// Members of a blend come with their own terms, set in.
void AddContributions(const std::vector<core::Contribution>& parts, const std::string& indent,
                      TextTable& table) {
  for (const core::Contribution& part : parts) {
    table.AddRow({indent + part.term, base::FormatNumber(part.amount)});
    if (part.parts.empty()) continue;
    table.AddRow(
        {indent + (part.parts_scale == "log" ? "  made of, as logs:" : "  made of, in its unit:"),
         ""});
    AddContributions(part.parts, indent + "    ", table);
  }
}

std::string ContributionText(const app::ExplainReport& report) {
  const bool log_scale = report.contribution_scale == "log";
  std::string text = fmt::format(
      "\nforecast {} (from {} to {}){}\n", base::FormatNumber(report.forecast->predicted),
      base::FormatNumber(report.forecast->lower), base::FormatNumber(report.forecast->upper),
      report.forecast->in_support ? "" : ", outside what was measured");
  for (const std::string& why : report.forecast->outside) text += "  " + why + "\n";
  TextTable table;
  table.AddColumn("term", Align::kLeft);
  table.AddColumn(log_scale ? "adds to log(" + report.target + ")" : "adds", Align::kRight);
  AddContributions(report.contributions, "", table);
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

std::string IntervalText(const app::ExplainReport& report) {
  TextTable table;
  table.AddColumn("parameter of " + report.parameters_of, Align::kLeft);
  table.AddColumn("value", Align::kRight);
  table.AddColumn("90 % from", Align::kRight);
  table.AddColumn("to", Align::kRight);
  for (const app::ExplainedInterval& interval : report.intervals) {
    table.AddRow({interval.name, base::FormatNumber(interval.value),
                  base::FormatNumber(interval.lower), base::FormatNumber(interval.upper)});
  }
  return table.Render() +
         fmt::format("  over {} fits to configurations drawn anew\n\n", report.resamples);
}

std::string GapText(const app::ExplainReport& report) {
  std::string text = "\nwhat the measurements cannot tell\n";
  for (const app::ExplainedGap& gap : report.gaps) {
    text += fmt::format("  {}\n    -> {}\n", gap.what, gap.next);
  }
  return text;
}

class ExplainCommand final : public Command {
 public:
  std::string name() const override { return "explain"; }
  std::string summary() const override { return "show a model's formula and what it rests on"; }
  std::string details() const override {
    return "Examples:\n"
           "  reckon explain --model model.json\n"
           "  reckon explain --model model.json --set workers=48     terms of one forecast\n"
           "  reckon explain --model model.json --data runs.csv      how sure its parameters are\n"
           "  reckon explain --model model.json --format python      a function to paste\n";
  }

  void Declare(OptionSet& options) override {
    options.Text("-m,--model", &request_.model, "model file, or name of a model in the store");
    options.Text("--format", &request_.format, "text (default), latex, python or cpp");
    options.Texts("--set", &request_.set, "COLUMN=VALUE: explain the forecast for these values");
    DeclareData(options, request_.data);
    options.OptionalWhole("--resamples", &request_.resamples, 2,
                          "with --data: fits to rows drawn anew, for intervals (default: 30)");
    options.Whole("--seed", &request_.seed, 0, UINT64_MAX, "seed of the draws (default: 1)");
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
    if (!report.intervals.empty()) output.text += IntervalText(report);
    TextTable columns;
    columns.AddColumn("column", Align::kLeft);
    columns.AddColumn("kind", Align::kLeft);
    columns.AddColumn("measured", Align::kLeft);
    for (const app::ExplainedColumn& column : report.columns) {
      columns.AddRow({column.name, column.kind, column.measured});
    }
    output.text += columns.Render() + "\n" + TechniqueTable(report.leaderboard);
    if (!report.gaps.empty()) output.text += GapText(report);
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
