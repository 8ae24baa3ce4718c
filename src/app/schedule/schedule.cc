#include "app/schedule/schedule.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/outputs.h"
#include "app/schedule/cluster_estimates.h"
#include "base/file.h"
#include "base/json.h"
#include "spec/cluster_file.h"
#include "spec/job_file.h"

namespace reckon::app {
namespace {

using base::Json;
using base::Result;

Result<int64_t> SamplesOf(const spec::JobFile& file) {
  if (!file.job.trainer) {
    return base::BadInput(
        fmt::format("job '{}' has no trainer; how many samples a command trains with is not known",
                    file.job.name));
  }
  const core::TrainerData& data = file.job.trainer->data;
  if (data.images < 1) {
    return file.Placed(
        base::BadInput("expected the number of images to share out").About("trainer.data.images"));
  }
  return data.images * data.replicate;
}

decide::ScheduleProblem ProblemOf(const core::Cluster& cluster,
                                  const decide::NodeEstimates& estimates) {
  decide::ScheduleProblem problem{.estimates = estimates};
  for (const core::ClusterWorker& worker : cluster.workers) {
    decide::ScheduleWorker one{.name = worker.node.name,
                               .apps = {},
                               .transfer_s_per_sample = worker.transfer_s_per_sample,
                               .initialise_s = worker.initialise_s};
    for (const core::BackgroundApp& app : worker.node.background_apps) {
      one.apps.push_back({app.name, app.deadline_s});
    }
    problem.workers.push_back(std::move(one));
  }
  return problem;
}

}  // namespace

Result<ScheduleReport> Schedule(const ScheduleRequest& request, const Context& context) {
  ScheduleReport report;
  RECKON_ASSIGN(const decide::SchedulePolicy policy, decide::ParseSchedulePolicy(request.policy));
  RECKON_TRY(CheckOutputs({{"--out", request.out}},
                          {{"--cluster", request.cluster_file}, {"--job", request.job_file}},
                          context));
  RECKON_ASSIGN(report.cluster, spec::ReadClusterFile(request.cluster_file));
  RECKON_ASSIGN(const spec::JobFile file, spec::ReadJobFile(request.job_file, {}));
  RECKON_ASSIGN(report.samples, SamplesOf(file));
  report.job = file.job.name;
  report.epochs = file.job.trainer->epochs;
  RECKON_ASSIGN(const auto estimates,
                ClusterEstimates::Open(report.cluster, request.memory_limit, context));
  decide::ScheduleProblem problem = ProblemOf(report.cluster, *estimates);
  problem.samples = report.samples;
  problem.epochs = report.epochs;
  problem.least_batch = request.least_batch.value_or(estimates->MinBatch());
  if (request.most_batch) problem.most_batch = *request.most_batch;
  RECKON_ASSIGN(report.plan, decide::MakeSchedule(problem, policy));
  if (!request.out.empty()) {
    report.out = request.out;
    RECKON_TRY(base::WriteFile(request.out, base::DumpJson(ToJson(report))));
  }
  return report;
}

Json ToJson(const ScheduleReport& report) {
  const decide::SchedulePlan& plan = report.plan;
  Json json;
  json["cluster"] = report.cluster.name;
  json["job"] = report.job;
  json["policy"] = decide::SchedulePolicyName(plan.policy);
  json["samples"] = report.samples;
  json["epochs"] = report.epochs;
  json["crew"] = plan.crew;
  json["epoch_s"] = plan.epoch_s;
  json["total_s"] = plan.total_s;
  json["servers"] = Json::array();
  for (const core::Node& server : report.cluster.servers) json["servers"].push_back(server.name);
  json["workers"] = Json::array();
  for (size_t i = 0; i < plan.workers.size(); ++i) {
    const decide::WorkerPlan& worker = plan.workers[i];
    Json one{{"node", report.cluster.workers[i].node.name},
             {"shard", worker.shard},
             {"batch", worker.batch}};
    if (worker.shard > 0) {
      one["epoch_s"] = worker.epoch_s;
      one["total_s"] = worker.total_s;
    }
    if (!worker.left_out.empty()) one["left_out"] = worker.left_out;
    if (!worker.late_apps.empty()) one["late"] = worker.late_apps;
    json["workers"].push_back(std::move(one));
  }
  return json;
}

}  // namespace reckon::app
