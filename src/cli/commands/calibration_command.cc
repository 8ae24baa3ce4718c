// calibration and refit: what came of forecasts, and models that learn from it.
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/calibration/calibration.h"
#include "app/calibration/refit.h"
#include "app/manage/remote.h"
#include "base/json.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/commands/all.h"
#include "cli/server_options.h"
#include "cli/text_table.h"

namespace reckon::cli {
namespace {

using Align = TextTable::Align;
using base::Json;

std::string Amount(const std::string& target, const Json& value) {
  if (!value.is_number()) return "";
  const auto number = value.get<double>();
  return target.ends_with("_s") ? base::FormatDuration(number) : base::FormatNumber(number);
}

std::string ModelsTable(const Json& models) {
  TextTable table;
  table.AddColumn("model", Align::kLeft);
  table.AddColumn("forecasts", Align::kLeft);
  for (const char* name : {"version", "runs", "MAPE %", "actual/forecast", "in interval %"}) {
    table.AddColumn(name, Align::kRight);
  }
  table.AddColumn("", Align::kLeft);
  for (const Json& model : models) {
    const bool known = model.contains("mape_percent");
    const auto number = [&](const char* key, const char* format) {
      return known ? fmt::format(fmt::runtime(format), model[key].get<double>()) : std::string();
    };
    table.AddRow({model.value("model", ""), model.value("target", ""),
                  std::to_string(model.value("version", int64_t{0})),
                  fmt::format("{} of {}", model.value("runs", 0), model.value("forecasts", 0)),
                  number("mape_percent", "{:.1f}"), number("bias", "{:.2f}"),
                  number("covered_percent", "{:.0f}"),
                  model.value("drifted", false) ? "drifted: " + model.value("why", "") : ""});
  }
  return table.Render();
}

std::string RunsTable(const Json& model) {
  TextTable table;
  for (const char* name : {"run", "forecast", "from", "to", "actual", "off %"}) {
    table.AddColumn(name, Align::kRight);
  }
  const std::string target = model.value("target", "");
  for (const Json& run : model["outcomes"]) {
    const bool known = run["actual"].is_number() && run["actual"].get<double>() != 0;
    table.AddRow(
        {std::to_string(run.value("run", int64_t{0})), Amount(target, run["predicted"]),
         Amount(target, run["lower"]), Amount(target, run["upper"]), Amount(target, run["actual"]),
         known
             ? fmt::format("{:+.1f}",
                           100 * (run["predicted"].get<double>() / run["actual"].get<double>() - 1))
             : "does not count"});
  }
  return "\n" + table.Render();
}

class CalibrationCommand final : public Command {
 public:
  std::string name() const override { return "calibration"; }
  std::string summary() const override { return "what came of the forecasts of runs"; }
  std::string details() const override {
    return "Examples:\n"
           "  reckon run job.yaml --model digits && reckon calibration\n"
           "  reckon calibration digits\n"
           "Forecasts that 'reckon run --model' has given, held against what the runs took. A\n"
           "model has drifted when its newest runs took steadily longer or less, or were outside\n"
           "their intervals more often than chance allows; 'reckon refit' learns from them.\n";
  }
  void Declare(OptionSet& options) override {
    options.Positional("model", &model_, "its name in the store (default: all)");
    DeclareServer(options, remote_);
  }

  base::Result<Output> Run(const app::Context& context) override {
    RECKON_ASSIGN(const Json report, Ask(context));
    Output output;
    const Json& models = report["models"];
    output.text = ModelsTable(models);
    if (models.empty()) output.text = "no run that has finished was forecast with a model\n";
    if (!model_.empty() && !models.empty()) output.text += RunsTable(models[0]);
    output.json = base::DumpJson(report);
    return output;
  }

 private:
  base::Result<Json> Ask(const app::Context& context) {
    if (!remote_.server.empty()) {
      RECKON_ASSIGN(app::Remote remote, app::Remote::Open(remote_));
      return remote.Calibration(model_);
    }
    RECKON_ASSIGN(const auto all, app::Calibrations(model_, context));
    return app::ToJson(all, !model_.empty());
  }

  std::string model_;
  app::RemoteRequest remote_;
};

class RefitCommand final : public Command {
 public:
  std::string name() const override { return "refit"; }
  std::string summary() const override { return "fit a model again, with what runs have measured"; }
  std::string details() const override {
    return "Examples:\n"
           "  reckon fit --samples digits.runs --target training_loop_s --save digits\n"
           "  reckon run job.yaml --model digits       (some times)\n"
           "  reckon refit digits\n"
           "The new version is saved when it is better on the newest runs, which it has not seen,\n"
           "than the forecasts that were given. With --server it is asked for, and told as an\n"
           "event; 'reckon serve' does so by itself for models that have drifted.\n";
  }
  void Declare(OptionSet& options) override {
    options.Positional("model", &request_.model, "its name in the store");
    options.Flag("--force", &request_.force, "save it also when it is not better");
    DeclareServer(options, remote_);
  }

  base::Result<Output> Run(const app::Context& context) override {
    if (request_.model.empty()) return base::BadInput("no model; expected its name in the store");
    Output output;
    if (!remote_.server.empty()) {
      if (request_.force) return base::BadInput("--force is for models here, not --server");
      RECKON_ASSIGN(app::Remote remote, app::Remote::Open(remote_));
      RECKON_ASSIGN(const Json asked, remote.AskForRefit(request_.model));
      output.text =
          fmt::format("asked for; 'reckon calibration {}' tells its version\n", request_.model);
      output.json = base::DumpJson(asked);
      return output;
    }
    RECKON_ASSIGN(const app::RefitReport report, app::Refit(request_, context));
    output.text = report.new_version == 0
                      ? fmt::format("version {} stays: {}\n", report.old_version, report.why)
                      : fmt::format("version {} of '{}', from {}{}: {}\n", report.new_version,
                                    report.model, base::Count(report.rows, "row"),
                                    report.rows_used == "all" ? ""
                                    : report.rows_used == "adjusted"
                                        ? ", the older ones adjusted to what runs take now"
                                        : " of what runs take now",
                                    report.why);
    output.json = base::DumpJson(app::ToJson(report));
    if (report.new_version == 0) output.exit_code = 1;
    return output;
  }

 private:
  app::RefitRequest request_;
  app::RemoteRequest remote_;
};

}  // namespace

std::unique_ptr<Command> MakeCalibrationCommand() { return std::make_unique<CalibrationCommand>(); }
std::unique_ptr<Command> MakeRefitCommand() { return std::make_unique<RefitCommand>(); }

}  // namespace reckon::cli
