#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/report_json.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/commands/all.h"
#include "cli/commands/learn_options.h"
#include "cli/print.h"
#include "cli/text_table.h"

namespace reckon::cli {
namespace {

// The chosen technique is marked; when splits chose different ones, what was chosen is a row.
std::vector<app::TechniqueRow> RowsOf(const app::ValidationBlock& block) {
  std::vector<app::TechniqueRow> rows = block.techniques;
  for (app::TechniqueRow& row : rows) {
    row.chosen = row.technique == block.chosen.technique;
    if (row.chosen) return rows;
  }
  rows.push_back(block.chosen);
  rows.back().technique = "the chosen";
  rows.back().description = "the best on the selection rows of each split";
  return rows;
}

// The validation errors of all methods side by side.
std::string SideBySide(const std::vector<app::ValidationBlock>& blocks) {
  TextTable table;
  table.AddColumn("technique", TextTable::Align::kLeft);
  std::vector<std::string> names;
  for (const app::ValidationBlock& block : blocks) {
    table.AddColumn(block.method, TextTable::Align::kRight);
    for (const app::TechniqueRow& row : block.techniques) {
      if (std::find(names.begin(), names.end(), row.technique) == names.end()) {
        names.push_back(row.technique);
      }
    }
  }
  const auto add = [&](const std::string& name, const auto& row_of) {
    std::vector<std::string> cells{name};
    for (const app::ValidationBlock& block : blocks) {
      const app::TechniqueRow* row = row_of(block);
      const bool known = row != nullptr && row->validation.has_value();
      cells.push_back(known ? PercentText(row->validation->mape_percent) : "-");
    }
    table.AddRow(std::move(cells));
  };
  for (const std::string& name : names) {
    add(name, [&](const app::ValidationBlock& block) -> const app::TechniqueRow* {
      const auto row = std::find_if(
          block.techniques.begin(), block.techniques.end(),
          [&](const app::TechniqueRow& technique) { return technique.technique == name; });
      return row == block.techniques.end() ? nullptr : &*row;
    });
  }
  add("the chosen", [](const app::ValidationBlock& block) { return &block.chosen; });
  return "\nvalidation MAPE % by method\n" + table.Render();
}

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
    output.text = fmt::format("{}, target '{}'\n", base::Count(report.rows, "row"), report.target);
    for (const app::ValidationBlock& block : report.blocks) {
      output.text +=
          block.splits == 1
              ? fmt::format("\n{} (training on {}, validation on {})\n", block.method,
                            base::Count(block.training_rows, "row"), block.validation_rows)
              : fmt::format(
                    "\n{} (in turn, training on about {} rows, validation on "
                    "{} in all)\n",
                    block.method, block.training_rows / block.splits, block.validation_rows);
      output.text += TechniqueTable(RowsOf(block));
      output.text += fmt::format(
          "  {:.1f} % of the validation rows lie in their 90 % interval; mean interval score {} "
          "%\n",
          block.coverage_percent, PercentText(block.interval_score_percent));
    }
    if (report.blocks.size() > 1) output.text += SideBySide(report.blocks);
    if (!report.notes.empty()) output.text += "\n" + NoteLines(report.notes);
    return output;
  }

 private:
  app::ValidateRequest request_;
};

}  // namespace

std::unique_ptr<Command> MakeValidateCommand() { return std::make_unique<ValidateCommand>(); }

}  // namespace reckon::cli
