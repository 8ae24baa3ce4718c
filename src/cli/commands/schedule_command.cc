#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/schedule/schedule.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "cli/command.h"
#include "cli/commands/all.h"
#include "cli/text_table.h"

namespace reckon::cli {
namespace {

using Align = TextTable::Align;

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
    options.Text("--cluster", &request_.cluster_file, "the nodes (docs/schedule.md)");
    options.Text("--job", &request_.job_file, "the job file (docs/job-file.md)");
    options.Text("--policy", &request_.policy, "reckon, deep-edge, fair or exact");
    options.OptionalWhole("--min-batch", &least_, 1, "smallest batch of a worker");
    options.OptionalWhole("--max-batch", &most_, 1, "largest batch, beside what memory holds");
    options.Share("--memory-limit", &memory_limit_,
                  "share of a node's memory that may be used (default: 0.9)");
    options.Text("--out", &request_.out, "write the plan to this JSON file");
  }

  base::Result<Output> Run(const app::Context& context) override {
    if (request_.cluster_file.empty()) return base::BadInput("no cluster; name it with --cluster");
    if (request_.job_file.empty()) return base::BadInput("no job; name it with --job");
    if (least_) request_.least_batch = static_cast<int64_t>(*least_);
    if (most_) request_.most_batch = static_cast<int64_t>(*most_);
    request_.memory_limit = memory_limit_.value_or(request_.memory_limit);
    RECKON_ASSIGN(const app::ScheduleReport report, app::Schedule(request_, context));
    Output output;
    output.text = PlanTable(report);
    output.text += fmt::format("\npolicy {}: {} of {}, {} an epoch, {} in all\n",
                               decide::SchedulePolicyName(report.plan.policy), report.plan.crew,
                               base::Count(report.plan.workers.size(), "worker"),
                               base::FormatDuration(report.plan.epoch_s),
                               base::FormatDuration(report.plan.total_s));
    if (!report.out.empty()) output.text += fmt::format("plan written to {}\n", report.out);
    output.json = base::DumpJson(app::ToJson(report));
    output.result_on_stdout = base::IsStandardOutput(report.out);
    return output;
  }

 private:
  app::ScheduleRequest request_;
  std::optional<size_t> least_;
  std::optional<size_t> most_;
  std::optional<double> memory_limit_;
};

}  // namespace

std::unique_ptr<Command> MakeScheduleCommand() { return std::make_unique<ScheduleCommand>(); }

}  // namespace reckon::cli
