#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/schedule/schedule.h"
#include "app/schedule/simulate.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/amounts.h"
#include "cli/command.h"
#include "cli/commands/all.h"
#include "cli/print.h"
#include "cli/text_table.h"

namespace reckon::cli {
namespace {

using Align = TextTable::Align;

// The options that say which model update is meant.
class UpdateOptions {
 public:
  void Declare(OptionSet& options) {
    options.Text("--cluster", &files_.cluster_file, "the nodes (docs/schedule.md)");
    options.Text("--job", &files_.job_file, "the job file (docs/job-file.md)");
    options.OptionalWhole("--min-batch", &least_, 1, "smallest batch of a worker");
    options.OptionalWhole("--max-batch", &most_, 1, "largest batch, beside what memory holds");
    options.Share("--memory-limit", &memory_limit_,
                  "share of a node's memory that may be used (default: 0.9)");
  }

  app::ModelUpdateFiles Files() const {
    app::ModelUpdateFiles files = files_;
    if (least_) files.least_batch = static_cast<int64_t>(*least_);
    if (most_) files.most_batch = static_cast<int64_t>(*most_);
    files.memory_limit = memory_limit_.value_or(files.memory_limit);
    return files;
  }

 private:
  app::ModelUpdateFiles files_;
  std::optional<size_t> least_;
  std::optional<size_t> most_;
  std::optional<double> memory_limit_;
};

std::string PlanTable(const app::ScheduleReport& report) {
  TextTable table;
  table.AddColumn("node", Align::kLeft);
  for (const char* name : {"shard", "batch", "epoch", "in all"})
    table.AddColumn(name, Align::kRight);
  table.AddColumn("", Align::kLeft);
  for (size_t i = 0; i < report.plan.workers.size(); ++i) {
    const decide::WorkerPlan& worker = report.plan.workers[i];
    const std::string& name = report.cluster.workers[i].node.name;
    if (worker.shard == 0) {
      table.AddRow({name, "-", "-", "-", "-", "left out: " + worker.left_out});
    } else {
      table.AddRow({name, std::to_string(worker.shard), std::to_string(worker.batch),
                    base::FormatDuration(worker.epoch_s), base::FormatDuration(worker.total_s),
                    worker.late_apps});
    }
  }
  return table.Render();
}

class ScheduleCommand final : public Command {
 public:
  std::string name() const override { return "schedule"; }
  std::string summary() const override {
    return "share a model update out to nodes without making their apps late";
  }
  std::string details() const override {
    return "Example:\n"
           "  reckon schedule --cluster edge.yaml --job update.yaml --out plan.json\n"
           "Policies: reckon (default), deep-edge (Algorithm 1 of that paper), fair (equal "
           "shards,\n"
           "blind to deadlines), exact (every subset, of at most 8 workers).\n";
  }
  void Declare(OptionSet& options) override {
    update_.Declare(options);
    options.Text("--policy", &request_.policy, "reckon, deep-edge, fair or exact");
    options.Text("--out", &request_.out, "write the plan to this JSON file");
  }

  base::Result<Output> Run(const app::Context& context) override {
    request_.update = update_.Files();
    RECKON_ASSIGN(const app::ScheduleReport report, app::Schedule(request_, context));
    Output output;
    output.text = PlanTable(report);
    output.text += fmt::format("\npolicy {}: {} of {}, {} an epoch, {} in all\n",
                               decide::SchedulePolicyName(report.plan.policy), report.plan.crew,
                               base::Count(report.plan.workers.size(), "worker"),
                               base::FormatDuration(report.plan.epoch_s),
                               base::FormatDuration(report.plan.total_s));
    if (!report.out.empty()) output.text += fmt::format("plan written to {}\n", report.out);
    output.text += NoteLines(report.notes);
    output.json = base::DumpJson(app::ToJson(report));
    output.result_on_stdout = base::IsStandardOutput(report.out);
    return output;
  }

 private:
  app::ScheduleRequest request_;
  UpdateOptions update_;
};

std::string PolicyTable(const app::SimulateReport& report) {
  TextTable table;
  table.AddColumn("policy", Align::kLeft);
  for (const char* name :
       {"workers", "planned epoch", "simulated", "from", "to", "in all", "failures"}) {
    table.AddColumn(name, Align::kRight);
  }
  if (report.exchange_simulated) table.AddColumn("busiest link", Align::kRight);
  table.AddColumn("", Align::kLeft);
  for (const app::PolicySimulation& one : report.policies) {
    std::vector<std::string> row{decide::SchedulePolicyName(one.policy)};
    if (!one.problem.empty()) {
      row.resize(table.column_count() - 1, "-");
      row.push_back("no plan: " + one.problem);
    } else {
      const auto [least, most] = std::minmax_element(one.epoch_s.begin(), one.epoch_s.end());
      row.push_back(std::to_string(one.plan.crew));
      for (const double seconds :
           {one.plan.epoch_s, one.mean_epoch_s, *least, *most, one.mean_total_s}) {
        row.push_back(base::FormatDuration(seconds));
      }
      row.push_back(fmt::format("{:.4g}", one.failures));
      if (report.exchange_simulated) row.push_back(fmt::format("{:.0f} %", 100 * one.busiest_link));
      row.push_back(one.late_workers == 0
                        ? ""
                        : "makes apps late on " + base::Count(one.late_workers, "node"));
    }
    table.AddRow(row);
  }
  return table.Render();
}

class SimulateCommand final : public Command {
 public:
  std::string name() const override { return "simulate"; }
  std::string summary() const override {
    return "try policies of schedule on a cluster that nobody has";
  }
  std::string details() const override {
    return "Example:\n"
           "  reckon simulate --cluster edge.yaml --job update.yaml --jitter 0.2 --failures 0.5\n"
           "Carries the plans of several policies out by a simulator: steps that vary, servers "
           "that\n"
           "are busy, links that are full, workers that fail (docs/schedule.md).\n";
  }
  void Declare(OptionSet& options) override {
    update_.Declare(options);
    options.Names("--policy", &request_.policies,
                  "reckon, deep-edge, fair, exact (default: all but exact)");
    options.Text("--jitter", &jitter_,
                 "relative standard deviation of a step's computing (default: 0.1)");
    options.Text("--failures", &failures_, "of a worker, an hour (default: 0)");
    options.Text("--restart", &restart_, "until a worker that failed is back (default: 30s)");
    options.Text("--latency", &latency_, "of a message, one way (default: 0s)");
    options.OptionalWhole("--repeats", &repeats_, 1, "simulations of each policy (default: 5)");
    options.Whole("--seed", &request_.seed, 0, UINT64_MAX, "seed of the draws (default: 1)");
  }

  base::Result<Output> Run(const app::Context& context) override {
    request_.update = update_.Files();
    RECKON_TRY(Number(jitter_, "--jitter", request_.jitter));
    RECKON_TRY(Number(failures_, "--failures", request_.failures_per_hour));
    RECKON_ASSIGN(const auto restart, DurationOf(restart_, "--restart"));
    request_.restart_s = restart.value_or(request_.restart_s);
    RECKON_ASSIGN(const auto latency, DurationOf(latency_, "--latency"));
    request_.latency_s = latency.value_or(0);
    request_.repeats = repeats_.value_or(request_.repeats);
    RECKON_ASSIGN(const app::SimulateReport report, app::Simulate(request_, context));
    Output output;
    output.text = PolicyTable(report);
    output.text +=
        fmt::format("\n{} on {}, {}, {} in {}; exchange of gradients {}\n",
                    base::Count(static_cast<size_t>(report.samples), "sample"),
                    base::Count(report.workers, "worker"), core::StrategyName(report.strategy),
                    base::Count(report.events, "event"), base::FormatDuration(report.seconds),
                    report.exchange_simulated ? "over the links that the cluster's file tells"
                                              : "as estimated, without queues");
    output.json = base::DumpJson(app::ToJson(report));
    return output;
  }

 private:
  // 0 is allowed.
  static base::Status Number(const std::string& text, const char* option, double& out) {
    if (text.empty()) return {};
    const auto number = base::ParseNumber(text);
    if (!number || !(*number >= 0)) {
      return base::BadInput(fmt::format("{} {}: expected a number of at least 0", option, text));
    }
    out = *number;
    return {};
  }

  app::SimulateRequest request_;
  UpdateOptions update_;
  std::string jitter_;
  std::string failures_;
  std::string restart_;
  std::string latency_;
  std::optional<size_t> repeats_;
};

}  // namespace

std::unique_ptr<Command> MakeScheduleCommand() { return std::make_unique<ScheduleCommand>(); }

std::unique_ptr<Command> MakeSimulateCommand() { return std::make_unique<SimulateCommand>(); }

}  // namespace reckon::cli
