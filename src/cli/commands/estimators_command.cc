#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/estimators/estimators.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/commands/all.h"
#include "cli/print.h"
#include "cli/text_table.h"

namespace reckon::cli {
namespace {

using Align = TextTable::Align;

std::string SensitivityTable(const app::EstimatorsReport& report) {
  TextTable table;
  for (const char* name : {"node", "function", "input"}) table.AddColumn(name, Align::kLeft);
  for (const char* name : {"correlation", "at its lowest", "at its highest"}) {
    table.AddColumn(name, Align::kRight);
  }
  for (const app::SensitivityRow& row : report.sensitivity) {
    table.AddRow({row.node_type, row.function, row.input, fmt::format("{:+.2f}", row.correlation),
                  base::FormatNumber(row.low), base::FormatNumber(row.high)});
  }
  return table.Render();
}

std::string ErrorTable(const app::EstimatorsReport& report) {
  TextTable table;
  for (const char* name : {"node", "function"}) table.AddColumn(name, Align::kLeft);
  for (const char* name : {"train/test", "MAPE %", "+-", "noise %"}) {
    table.AddColumn(name, Align::kRight);
  }
  table.AddColumn("technique", Align::kLeft);
  table.AddColumn("model", Align::kLeft);
  for (const app::EstimatorRow& row : report.estimators) {
    table.AddRow({row.node_type, row.function, fmt::format("{}/{}", row.train_rows, row.test_rows),
                  fmt::format("{:.2f}", row.mape_percent),
                  fmt::format("{:.2f}", row.deviation_percent),
                  row.noise_percent ? fmt::format("{:.2f}", *row.noise_percent) : "", row.technique,
                  row.model});
  }
  return table.Render();
}

std::string MaxBatchTable(const app::EstimatorsReport& report) {
  if (report.max_batches.empty()) return "";
  TextTable table;
  table.AddColumn("node", Align::kLeft);
  table.AddColumn("memory in use", Align::kRight);
  table.AddColumn("largest batch", Align::kRight);
  for (const app::MaxBatchRow& row : report.max_batches) {
    table.AddRow({row.node_type, fmt::format("{:.1f} %", 100 * row.memory_before),
                  !row.batch   ? "none"
                  : row.at_end ? fmt::format(">= {}", *row.batch)
                               : std::to_string(*row.batch)});
  }
  return "\n" + table.Render();
}

class EstimatorsCommand final : public Command {
 public:
  std::string name() const override { return "estimators"; }
  std::string summary() const override {
    return "learn what training does to the nodes a campaign has measured";
  }
  std::string details() const override {
    return "Example:\n"
           "  reckon profile deep-edge.yaml && reckon estimators deep-edge\n"
           "Functions of a node's state: time to compute a sample and to exchange parameters,\n"
           "the state that training leaves, the execution time of apps beside it, the largest\n"
           "batch that fits. Models are saved as CAMPAIGN.NODE.FUNCTION for 'reckon predict'.\n";
  }
  void Declare(OptionSet& options) override {
    options.Positional("campaign", &request_.campaign, "name of the campaign");
    options.Share("--holdout", &request_.holdout, "share of rows to test with (default: 0.16)");
    options.Share("--memory-limit", &memory_limit_,
                  "share of a node's memory that may be used (default: 0.9)");
    options.Whole("--seed", &request_.seed, 0, UINT64_MAX, "seed of every random choice");
    options.Flag("--no-save", &no_save_, "do not keep the models in the store");
  }

  base::Result<Output> Run(const app::Context& context) override {
    if (request_.campaign.empty()) return base::BadInput("no campaign; expected its name");
    request_.save = !no_save_;
    request_.memory_limit = memory_limit_.value_or(request_.memory_limit);
    RECKON_ASSIGN(const app::EstimatorsReport report, app::FitEstimators(request_, context));
    Output output;
    output.text =
        "sensitivity: rank correlation, and means where the input is in its lowest and\n"
        "highest third\n" +
        SensitivityTable(report) + "\n" + ErrorTable(report) + MaxBatchTable(report) +
        fmt::format("\nmean error of {} estimators from {} rows of hosts: {:.2f} %{}\n",
                    report.estimators.size(), report.rows, report.mean_mape_percent,
                    report.mean_noise_percent
                        ? fmt::format("; of repeats {:.2f} %", *report.mean_noise_percent)
                        : "") +
        NoteLines(report.notes);
    output.json = base::DumpJson(app::ToJson(report));
    return output;
  }

 private:
  app::EstimatorsRequest request_;
  std::optional<double> memory_limit_;
  bool no_save_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeEstimatorsCommand() { return std::make_unique<EstimatorsCommand>(); }

}  // namespace reckon::cli
