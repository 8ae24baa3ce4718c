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

namespace reckon::cli {
namespace {

constexpr size_t kPrintedRows = 40;

class PredictCommand final : public Command {
 public:
  std::string name() const override { return "predict"; }
  std::string summary() const override { return "forecast rows of a table, or what-if questions"; }
  std::string details() const override {
    return "Examples:\n"
           "  reckon predict --model model.json --set workers=1..64 --set batch=128 --plot c.svg\n"
           "  reckon predict --model model.json --data new.csv --out forecasts.csv\n"
           "Values of --set: 8, a list 1,2,4, a range 1..64, with a step 0..100:25, with a factor\n"
           "1..64*2. When --data has the target too, the error of the forecasts is printed.\n";
  }

  void Declare(OptionSet& options) override {
    options.Text("-m,--model", &request_.model, "model file, or name of a model in the store");
    DeclareData(options, request_.data);
    options.Texts("--set", &request_.set, "COLUMN=VALUES; several times for several columns");
    options.Text("-o,--out", &request_.out,
                 "table to write: every input column and predicted,lower,upper,in_support");
    options.Text("--plot", &request_.plot, "write a picture (SVG)");
    options.Text("--measured", &request_.measured,
                 "table of measurements to draw beside the forecast");
  }

  base::Result<Output> Run(const app::Context& context) override {
    RECKON_ASSIGN(const app::PredictReport report, app::Predict(request_, context));
    Output output;
    output.json = base::DumpJson(app::ToJson(report));
    if (report.out.empty()) {
      output.text +=
          ForecastTable(report.questions, report.granted, report.forecasts, kPrintedRows);
    }
    output.text += fmt::format(
        "{} of '{}' by {}, {} of them inside the measured range; intervals at {:.0f} %\n",
        base::Count(report.forecasts.size(), "forecast"), report.target, report.technique,
        report.in_support, 100 * report.level);
    if (report.error) {
      output.text += fmt::format(
          "error against the '{}' of these {}: MAPE {} %, RMSE {}, R2 {}; {:.1f} % of them in "
          "their interval, mean interval score {} %\n",
          report.target, base::Count(report.error->rows, "row"),
          PercentText(report.error->mape_percent), base::FormatNumber(report.error->rmse),
          report.error->r2 ? fmt::format("{:.4f}", *report.error->r2) : "-",
          report.coverage_percent, PercentText(report.interval_score_percent));
    }
    output.text += NoteLines(report.notes);
    if (!report.out.empty()) output.text += fmt::format("forecasts written to {}\n", report.out);
    if (!report.plot.empty()) output.text += fmt::format("picture written to {}\n", report.plot);
    output.result_on_stdout =
        base::IsStandardOutput(report.out) || base::IsStandardOutput(report.plot);
    return output;
  }

 private:
  app::PredictRequest request_;
};

}  // namespace

std::unique_ptr<Command> MakePredictCommand() { return std::make_unique<PredictCommand>(); }

}  // namespace reckon::cli
