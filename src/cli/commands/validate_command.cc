#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/report_json.h"
#include "cli/command.h"
#include "cli/commands/all.h"
#include "cli/commands/learn_options.h"
#include "cli/print.h"

namespace reckon::cli {
namespace {

class ValidateCommand final : public Command {
 public:
  std::string name() const override { return "validate"; }
  std::string summary() const override {
    return "say how far forecasts would have been off on rows held out";
  }
  std::string details() const override {
    return "Example:\n"
           "  reckon validate --data runs.csv --target time_s --holdout 0.2 \\\n"
           "      --interpolate workers=8,16 --extrapolate 'workers>32'\n"
           "Every method is a table of its own. Models are made and chosen from the training rows\n"
           "alone: 'training' is the error on them, 'selection' the error on parts of them left\n"
           "out to choose the model, 'validation' the error on the rows held out.\n";
  }

  void Declare(OptionSet& options) override {
    DeclareLearning(options, request_.learn);
    options.Share("--holdout", &request_.holdout, "hold out this share of the rows, at random");
    options.OptionalWhole("--kfold", &request_.kfold, 2, "hold out each of so many parts in turn");
    options.Texts("--interpolate", &request_.interpolate,
                  "hold out inner values of a column: COL=v1,v2, or COL for every second");
    options.Texts("--extrapolate", &request_.extrapolate,
                  "hold out what lies beyond: 'COL>v', 'COL<v', or COL for the largest quarter");
  }

  base::Result<Output> Run(const app::Context& context) override {
    RECKON_ASSIGN(const app::ValidateReport report, app::Validate(request_, context));
    Output output;
    output.json = base::DumpJson(app::ToJson(report));
    output.text = fmt::format("{} rows, target '{}'\n", report.rows, report.target);
    for (const app::ValidationBlock& block : report.blocks) {
      output.text +=
          block.splits == 1
              ? fmt::format("\n{} (training on {} rows, validation on {})\n", block.method,
                            block.training_rows, block.validation_rows)
              : fmt::format(
                    "\n{} (in turn, training on about {} rows, validation on "
                    "{} in all)\n",
                    block.method, block.training_rows / block.splits, block.validation_rows);
      std::vector<app::TechniqueRow> rows = block.techniques;
      rows.push_back(block.chosen);
      rows.back().technique = "chosen: " + block.chosen.technique;
      output.text += TechniqueTable(rows);
      output.text += fmt::format("  {:.1f} % of the validation rows lie in their 90 % interval\n",
                                 block.coverage_percent);
    }
    if (!report.notes.empty()) output.text += "\n" + NoteLines(report.notes);
    return output;
  }

 private:
  app::ValidateRequest request_;
};

}  // namespace

std::unique_ptr<Command> MakeValidateCommand() { return std::make_unique<ValidateCommand>(); }

}  // namespace reckon::cli
