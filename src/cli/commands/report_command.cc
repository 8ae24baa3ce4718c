// report: a campaign's measurements as a page of tables and figures.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/report/report.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/commands/all.h"
#include "cli/print.h"
#include "cli/text_table.h"

namespace reckon::cli {
namespace {

std::string StagesText(const app::StagesSection& section) {
  TextTable table;
  table.AddColumn("MAPE %, held out", TextTable::Align::kLeft);
  for (const app::ReportStage& stage : section.stages) {
    table.AddColumn(stage.column, TextTable::Align::kRight);
  }
  for (const app::StageMethod& method : section.methods) {
    std::vector<std::string> cells{method.label};
    for (const app::StageCell& cell : method.cells) cells.push_back(PercentText(cell.mape_percent));
    table.AddRow(std::move(cells));
  }
  std::vector<std::string> noise{"noise between repeats"};
  for (const app::ReportStage& stage : section.stages) {
    noise.push_back(PercentText(stage.noise.percent));
  }
  table.AddRow(std::move(noise));
  return table.Render() + "\n";
}

class ReportCommand final : public Command {
 public:
  std::string name() const override { return "report"; }
  std::string summary() const override {
    return "a campaign's measurements as a page of tables and figures";
  }
  std::string details() const override {
    return "Examples:\n"
           "  reckon report ray\n"
           "  reckon report ray --interpolate cpus=3,6 --extrapolate 'cpus>4' \\\n"
           "      --extrapolate 'images>6000' --out ray.html\n"
           "NAME is the campaign's, as 'reckon profile' told it. docs/report.md has the "
           "sections.\n";
  }

  void Declare(OptionSet& options) override {
    options.Positional("campaign", &request_.campaign, "name of the campaign");
    options.Text("-o,--out", &request_.out,
                 "page to write, of HTML or, as NAME.md, Markdown (default: report.html)");
    options.Names("--section", &request_.sections,
                  "only these: stages, scaling, law, workers, nodes");
    options.Share("--holdout", &holdout_, "share of the rows to hold out (default: 0.2)");
    options.Texts("--interpolate", &request_.validation.interpolate,
                  "hold out inner values: COL=v1,v2, or COL for every second (default: cpus)");
    options.Texts("--extrapolate", &request_.validation.extrapolate,
                  "hold out what lies beyond: 'COL>v', or COL for the largest quarter (default: "
                  "cpus, images)");
    options.Whole("--seed", &request_.validation.seed, 0, UINT64_MAX,
                  "seed of every random choice (default: 1)");
  }

  base::Result<Output> Run(const app::Context& context) override {
    if (holdout_) request_.validation.holdout = *holdout_;
    RECKON_ASSIGN(const app::ReportData report, app::MakeReport(request_, context));
    Output output;
    output.result_on_stdout = base::IsStandardOutput(request_.out);
    output.json = base::DumpJson(app::ToJson(report));
    if (report.stages) output.text += StagesText(*report.stages);
    output.text += NoteLines(report.absent);
    output.text += fmt::format("campaign '{}': {}; page in {}\n", report.summary.campaign,
                               base::Count(report.summary.runs, "run"), report.out);
    return output;
  }

 private:
  app::ReportRequest request_;
  std::optional<double> holdout_;
};

}  // namespace

std::unique_ptr<Command> MakeReportCommand() { return std::make_unique<ReportCommand>(); }

}  // namespace reckon::cli
