// run, status and stop: jobs at work.
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/runs/report_json.h"
#include "app/runs/runs.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/commands/all.h"
#include "cli/text_table.h"

namespace reckon::cli {
namespace {

using Align = TextTable::Align;

std::string EpochTable(const app::RunReport& report) {
  const auto epochs = report.view.Epochs();
  if (epochs.empty()) return "";
  TextTable table;
  for (const char* column : {"epoch", "loss", "accuracy", "train", "validate"}) {
    table.AddColumn(column, Align::kRight);
  }
  const auto number = [](const std::optional<double>& value) {
    return value ? base::FormatNumber(*value) : "";
  };
  for (const auto& epoch : epochs) {
    table.AddRow({std::to_string(epoch.epoch + 1), number(epoch.loss), number(epoch.accuracy),
                  base::FormatDuration(epoch.train_s), base::FormatDuration(epoch.validate_s)});
  }
  return "\n" + table.Render();
}

// Stages outside of epochs: the slowest worker's.
std::string StageTable(const app::RunReport& report) {
  const std::map<std::string, double> slowest = report.view.SlowestStages();
  if (slowest.empty()) return "";
  TextTable table;
  table.AddColumn("stage", Align::kLeft);
  table.AddColumn("time", Align::kRight);
  for (const auto& [stage, seconds] : slowest) {
    table.AddRow({stage, base::FormatDuration(seconds)});
  }
  return "\n" + table.Render();
}

std::string RankTable(const app::RunReport& report) {
  TextTable table;
  table.AddColumn("process", Align::kLeft);
  table.AddColumn("host", Align::kLeft);
  table.AddColumn("state", Align::kLeft);
  for (const char* column : {"wall", "cpu", "memory", "sent", "received"}) {
    table.AddColumn(column, Align::kRight);
  }
  for (const app::RankView& rank : report.view.ranks) {
    std::vector<std::string> cells{fmt::format("{} {}", rank.role, rank.index), rank.host,
                                   rank.state};
    if (rank.usage) {
      const auto bytes = [](double value) {
        return base::FormatBytes(static_cast<uint64_t>(value));
      };
      cells.push_back(base::FormatDuration(rank.usage->wall_s));
      cells.push_back(base::FormatDuration(rank.usage->cpu_s));
      cells.push_back(bytes(rank.usage->peak_memory_bytes));
      const char* least = rank.usage->bytes_complete ? "" : ">= ";
      cells.push_back(least + bytes(rank.usage->bytes_sent));
      cells.push_back(least + bytes(rank.usage->bytes_received));
    }
    cells.resize(8);
    table.AddRow(cells);
  }
  return report.view.ranks.empty() ? "" : "\n" + table.Render();
}

std::string Headline(const app::RunReport& report) {
  const app::RunView& view = report.view;
  std::string line = fmt::format("run {} '{}': {}", report.run.id, report.run.name,
                                 core::RunStateName(report.run.state));
  if (view.running_since && (view.ended_at || report.now > 0)) {
    const double until = view.ended_at.value_or(report.now);
    line += fmt::format(" {} {}", view.ended_at ? "after" : "for",
                        base::FormatDuration(std::max(0.0, until - *view.running_since)));
  }
  if (!view.reason.empty()) line += ": " + view.reason;
  line += "\n";
  if (!report.note.empty()) line += "note: " + report.note + "\n";
  if (view.LostWorkers() > 0 && report.run.state == core::RunState::kFinished) {
    line += fmt::format("note: {} lost on the way; models leave this run out\n",
                        base::Count(static_cast<size_t>(view.LostWorkers()), "worker"));
  }
  if (view.BegunAtStep() > 0) {
    line += fmt::format("note: went on from step {:.0f} of a checkpoint; models leave it out\n",
                        view.BegunAtStep());
  }
  const auto progress = view.WorkersProgress(report.now);
  if (core::IsFinal(report.run.state)) return line;
  std::vector<std::string> parts;
  if (progress.total > 0) {
    parts.push_back(fmt::format("{:.0f} of {:.0f} {} ({:.0f} %)", progress.done, progress.total,
                                progress.unit, 100 * progress.done / progress.total));
  }
  if (progress.remaining_s) {
    parts.push_back(fmt::format("about {} left", base::FormatDuration(*progress.remaining_s)));
  }
  if (!parts.empty()) line += base::Join(parts, ", ") + "\n";
  return line;
}

// "forecast of training_loop_s: 4.1 s (3.5 s to 4.8 s); it was 4.3 s: forecast 4.7 % too low".
std::string ForecastLine(const app::RunReport& report) {
  if (!report.forecast) return "";
  const app::RunForecast& made = *report.forecast;
  const bool seconds = made.target.ends_with("_s");
  const auto show = [&](double value) {
    return seconds ? base::FormatDuration(value) : base::FormatNumber(value);
  };
  std::string line =
      fmt::format("forecast of {}: {} ({} to {}){}", made.target, show(made.forecast.predicted),
                  show(made.forecast.lower), show(made.forecast.upper),
                  made.forecast.in_support ? "" : ", beyond what was measured");
  if (made.actual && *made.actual != 0) {
    const double off = made.forecast.predicted / *made.actual - 1;
    line += fmt::format("; it was {}: forecast {:.1f} % too {}", show(*made.actual),
                        100 * std::abs(off), off < 0 ? "low" : "high");
  }
  return line + "\n";
}

Output Show(const app::RunReport& report) {
  Output output;
  output.text = Headline(report) + EpochTable(report) + StageTable(report) + RankTable(report) +
                fmt::format("\nlogs and events: {}\n", report.folder) + ForecastLine(report);
  output.json = base::DumpJson(app::ToJson(report));
  return output;
}

base::Result<std::vector<spec::Override>> ReadOverrides(const std::vector<std::string>& texts) {
  std::vector<spec::Override> overrides;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return base::BadInput(
          fmt::format("--set {}: expected KEY=VALUE, like trainer.batch=64", text));
    }
    overrides.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return overrides;
}

class RunCommand final : public Command {
 public:
  std::string name() const override { return "run"; }
  std::string summary() const override { return "train: carry out a job and measure it"; }
  std::string details() const override {
    return "Examples:\n"
           "  reckon run job.yaml\n"
           "  reckon run job.yaml --set num_nodes=4 --set trainer.batch=128\n"
           "  reckon run job.yaml --detach && reckon status\n"
           "Ctrl-C stops the run. If reckon itself is killed the run goes on; 'reckon status'\n"
           "finds it again. What was measured is kept as samples NAME.runs and NAME.epochs.\n";
  }

  void Declare(OptionSet& options) override {
    options.Positional("job", &request_.job_file, "the job file (docs/job-file.md)");
    options.Text("--on", &request_.engine, "where: local (default) or lab:NAME");
    options.Text("--plan", &request_.plan,
                 "shards and batches of 'reckon schedule --out'; in a lab on the plan's nodes");
    options.Texts("--set", &sets_, "KEY=VALUE in place of the file's; may be repeated");
    options.Text("--model", &request_.model, "forecast it first with this model of NAME.runs");
    options.Flag("-d,--detach", &detach_, "return once it is started");
  }

  base::Result<Output> Run(const app::Context& context) override {
    if (request_.job_file.empty()) return base::BadInput("no job file to run");
    RECKON_ASSIGN(request_.overrides, ReadOverrides(sets_));
    if (detach_) {
      RECKON_ASSIGN(const app::RunReport report, app::StartRun(request_, context));
      Output output;
      output.text = fmt::format("run {} started; 'reckon status {}', 'reckon logs -f {}'\n",
                                report.run.id, report.run.id, report.run.id);
      output.json = base::DumpJson(app::ToJson(report));
      return output;
    }
    RECKON_ASSIGN(const app::RunReport report, app::RunToEnd(request_, context));
    Output output = Show(report);
    if (report.run.state != core::RunState::kFinished) output.exit_code = 1;
    if (report.run.state == core::RunState::kStopped) output.exit_code = 130;
    return output;
  }

 private:
  app::RunRequest request_;
  std::vector<std::string> sets_;
  bool detach_ = false;
};

class StatusCommand final : public Command {
 public:
  std::string name() const override { return "status"; }
  std::string summary() const override { return "how a run gets on"; }
  void Declare(OptionSet& options) override {
    options.Positional("run", &run_, "number of the run (default: the newest)");
  }
  base::Result<Output> Run(const app::Context& context) override {
    RECKON_ASSIGN(const app::RunReport report, app::FindRunReport(run_, context));
    return Show(report);
  }

 private:
  std::string run_;
};

class StopCommand final : public Command {
 public:
  std::string name() const override { return "stop"; }
  std::string summary() const override { return "stop a run"; }
  void Declare(OptionSet& options) override {
    options.Positional("run", &run_, "number of the run (default: the newest at work)");
  }
  base::Result<Output> Run(const app::Context& context) override {
    RECKON_ASSIGN(const app::RunReport report, app::StopRun(run_, context));
    Output output;
    output.text = Headline(report);
    output.json = base::DumpJson(app::ToJson(report));
    return output;
  }

 private:
  std::string run_;
};

}  // namespace

std::unique_ptr<Command> MakeRunCommand() { return std::make_unique<RunCommand>(); }
std::unique_ptr<Command> MakeStatusCommand() { return std::make_unique<StatusCommand>(); }
std::unique_ptr<Command> MakeStopCommand() { return std::make_unique<StopCommand>(); }

}  // namespace reckon::cli
