#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/report_json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/commands/all.h"
#include "cli/print.h"

namespace reckon::cli {
namespace {

std::vector<app::TechniqueRow> ToTableRows(const std::vector<app::AutomlRow>& rows) {
  std::vector<app::TechniqueRow> table;
  for (const app::AutomlRow& row : rows) {
    table.push_back(
        {row.label, row.hyperparameters, row.training, row.selection, row.validation, row.best});
  }
  return table;
}

class AutomlCommand final : public Command {
 public:
  std::string name() const override { return "automl"; }
  std::string summary() const override { return "carry out a configuration of aMLLibrary"; }
  std::string details() const override {
    return "Example:\n"
           "  reckon automl -c conf.ini -o results -j 4\n"
           "tries the techniques and hyperparameters of conf.ini, validates them as it says, and\n"
           "writes results.txt, results.csv, results.json, the best model (best.json) and one "
           "model\n"
           "a technique into the new folder 'results'. What of the configuration is done "
           "otherwise\n"
           "is said in warnings; docs/automl.md lists every option.\n";
  }

  void Declare(OptionSet& options) override {
    options.Text("-c,--configuration-file", &request_.configuration, "configuration to read");
    options.Text("-o,--output", &request_.out, "folder for the results: a new or an empty one");
    options.Whole("-s,--seed", &request_.seed, 0, UINT64_MAX,
                  "seed of every random choice (default: 1)");
    options.Flag("-g,--generate-plots", &request_.plots,
                 "draw forecasts of held-out rows against what was measured");
  }

  base::Result<Output> Run(const app::Context& context) override {
    RECKON_ASSIGN(const app::AutomlReport report, app::Automl(request_, context));
    Output output;
    output.json = base::DumpJson(app::ToJson(report));
    output.text = fmt::format("{}, {}, target '{}'; {}\n", base::Count(report.rows, "row"),
                              base::Count(report.inputs.size(), "input"), report.target,
                              base::Count(report.candidates, "candidate"));
    for (size_t r = 0; r < report.runs.size(); ++r) {
      const app::AutomlRun& run = report.runs[r];
      output.text += fmt::format("\nrun {}: {} (validation on {})\n", r, run.method,
                                 base::Count(run.validation_rows, "row"));
      output.text += TechniqueTable(ToTableRows(run.techniques));
    }
    output.text += "\nfitted to all rows\n" + TechniqueTable(ToTableRows(report.models));
    for (const std::string& warning : report.warnings) output.text += "warning: " + warning + "\n";
    output.text += NoteLines(report.notes);
    output.text += fmt::format("best: {}; {} written to {}\n", report.models.front().label,
                               base::Count(report.files.size(), "file"), report.out);
    return output;
  }

 private:
  app::AutomlRequest request_;
};

}  // namespace

std::unique_ptr<Command> MakeAutomlCommand() { return std::make_unique<AutomlCommand>(); }

}  // namespace reckon::cli
