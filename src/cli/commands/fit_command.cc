#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/report_json.h"
#include "base/file.h"
#include "base/text.h"
#include "cli/command.h"
#include "cli/commands/all.h"
#include "cli/commands/learn_options.h"
#include "cli/print.h"

namespace reckon::cli {
namespace {

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
        report.extrapolate.empty() ? "for forecasts inside the measured range"
                                   : "for forecasts beyond the measured " + report.extrapolate);
    output.text += TechniqueTable(report.leaderboard);
    output.text += NoteLines(report.notes);
    if (!report.out.empty()) output.text += fmt::format("model written to {}\n", report.out);
    if (!report.saved.empty()) {
      output.text += fmt::format("model kept as '{}' in {}\n", report.saved, context.db.string());
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
