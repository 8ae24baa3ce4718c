#include "app/schedule/schedule.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/outputs.h"
#include "base/file.h"
#include "base/json.h"

namespace reckon::app {

using base::Json;
using base::Result;

Result<ScheduleReport> Schedule(const ScheduleRequest& request, const Context& context) {
  RECKON_ASSIGN(const decide::SchedulePolicy policy, decide::ParseSchedulePolicy(request.policy));
  RECKON_TRY(CheckOutputs(
      {{"--out", request.out}},
      {{"--cluster", request.update.cluster_file}, {"--job", request.update.job_file}}, context));
  RECKON_ASSIGN(const ModelUpdate update, ReadModelUpdate(request.update, context));
  ScheduleReport report;
  report.cluster = update.cluster;
  report.job = update.file.job.name;
  report.samples = update.samples;
  report.epochs = update.epochs;
  RECKON_ASSIGN(report.plan, decide::MakeSchedule(update.Problem(), policy));
  const core::Strategy strategy = update.file.job.trainer->strategy;
  if (strategy != core::Strategy::kAsyncParameterServer) {
    report.notes.push_back(
        fmt::format("the plan is for workers that do not wait for each other (async-ps); with {} "
                    "each step lasts "
                    "as long as that of the slowest: 'reckon simulate' tells what it comes to",
                    core::StrategyName(strategy)));
  }
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
  for (const core::ClusterServer& server : report.cluster.servers) {
    json["servers"].push_back(server.node.name);
  }
  json["notes"] = report.notes;
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
