#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/report_json.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/commands/all.h"
#include "cli/commands/learn_options.h"
#include "cli/print.h"
#include "cli/text_table.h"

namespace reckon::cli {
namespace {

// MAPE, or RMSE for targets of 0.
std::string ErrorText(const std::optional<core::Metrics>& metrics) {
  if (!metrics) return "-";
  return metrics->mape_percent ? PercentText(metrics->mape_percent)
                               : "RMSE " + base::FormatNumber(metrics->rmse);
}

std::string StandingsTable(const app::FitReport& report) {
  TextTable table;
  table.AddColumn("technique", TextTable::Align::kLeft);
  for (const char* name :
       {"folds MAPE %", "interpolation %", "extrapolation %", "fit s", "us a row"}) {
    table.AddColumn(name, TextTable::Align::kRight);
  }
  for (const auto& row : report.standings->rows) {
    table.AddRow({row.technique, ErrorText(row.folds), ErrorText(row.interpolation),
                  ErrorText(row.extrapolation), fmt::format("{:.3f}", row.fit_s),
                  fmt::format("{:.2f}", row.predict_us)});
  }
  return "\nthe same candidates by three questions" +
         (report.standings_column.empty()
              ? std::string(" (no column counts workers; name it with --workers)")
              : ", along " + report.standings_column) +
         "\n" + table.Render();
}

class FitCommand final : public Command {
 public:
  std::string name() const override { return "fit"; }
  std::string summary() const override { return "find the model that forecasts a column"; }
  std::string details() const override {
    return "Example:\n"
           "  reckon fit --data runs.csv --target time_s --extrapolate workers --out model.json\n"
           "chooses the model by how well it forecasts the largest measured values of 'workers'\n"
           "from the smaller ones. Without --extrapolate it is chosen by five-fold validation.\n";
  }

  void Declare(OptionSet& options) override {
    DeclareLearning(options, request_.learn);
    options.Text("--extrapolate", &request_.extrapolate,
                 "forecasts will be asked beyond the measured range of this column");
    options.Whole("--repeats", &request_.repeats, 1, 1000,
                  "fits of the generic law with different seeds; explain shows their spread");
    options.Flag("--leaderboard", &request_.leaderboard,
                 "compare the techniques by folds, interpolation, extrapolation and time");
    options.Text("-o,--out", &request_.out, "model file to write");
    options.Text("--save", &request_.save, "name to keep the model under in the store");
  }

  base::Result<Output> Run(const app::Context& context) override {
    RECKON_ASSIGN(const app::FitReport report, app::Fit(request_, context));
    Output output;
    output.json = base::DumpJson(app::ToJson(report));
    output.text = fmt::format(
        "{}, {}, target '{}'; {}, chosen {}\n", base::Count(report.rows, "row"),
        base::Count(report.inputs.size(), "input"), report.target,
        base::Count(report.tried, "candidate"),
        report.practised_beyond ? "for forecasts beyond the measured " + report.extrapolate
                                : "for forecasts inside the measured range");
    output.text += TechniqueTable(report.leaderboard);
    if (report.standings) {
      output.text += StandingsTable(report) + "\n";
    }
    output.text += NoteLines(report.notes);
    if (!report.out.empty()) output.text += fmt::format("model written to {}\n", report.out);
    if (!report.saved.empty()) {
      output.text += fmt::format("model kept as '{}' in {}\n", report.saved, context.db.name());
    }
    if (report.out.empty() && report.saved.empty()) {
      output.text += "note: the model was not kept; --out FILE or --save NAME keeps it\n";
    }
    output.result_on_stdout = base::IsStandardOutput(report.out);
    return output;
  }

 private:
  app::FitRequest request_;
};

}  // namespace

std::unique_ptr<Command> MakeFitCommand() { return std::make_unique<FitCommand>(); }

}  // namespace reckon::cli
