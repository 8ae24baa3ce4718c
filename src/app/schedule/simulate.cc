#include "app/schedule/simulate.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "decide/simulate/training_simulator.h"

namespace reckon::app {
namespace {

using base::Json;
using base::Result;
using core::Strategy;

Result<std::vector<decide::SchedulePolicy>> PoliciesOf(const SimulateRequest& request) {
  std::vector<std::string> names = request.policies;
  if (names.empty()) names = {"fair", "deep-edge", "reckon"};
  std::vector<decide::SchedulePolicy> policies;
  for (const std::string& name : names) {
    RECKON_ASSIGN(const decide::SchedulePolicy policy, decide::ParseSchedulePolicy(name));
    if (std::find(policies.begin(), policies.end(), policy) == policies.end()) {
      policies.push_back(policy);
    }
  }
  return policies;
}

// Somebody has said how fast links are, or how long a server takes.
bool KnowsExchange(const core::Cluster& cluster, Strategy strategy) {
  const bool workers =
      std::any_of(cluster.workers.begin(), cluster.workers.end(),
                  [](const core::ClusterWorker& one) { return one.bandwidth_bit_s.has_value(); });
  if (strategy == Strategy::kAllReduce) return workers;
  return workers || std::any_of(cluster.servers.begin(), cluster.servers.end(),
                                [](const core::ClusterServer& one) {
                                  return one.bandwidth_bit_s || one.apply_s;
                                });
}

// What all policies have in common.
decide::Simulation Common(const ModelUpdate& update, const SimulateRequest& request,
                          const SimulateReport& report) {
  decide::Simulation simulation;
  simulation.strategy = report.strategy;
  simulation.bytes = report.exchange_simulated ? report.bytes : 0;
  simulation.latency_s = request.latency_s;
  simulation.epochs = update.epochs;
  simulation.jitter = request.jitter;
  simulation.failures_per_hour = request.failures_per_hour;
  simulation.restart_s = request.restart_s;
  if (report.strategy == Strategy::kAllReduce) return simulation;
  for (const core::ClusterServer& server : update.cluster.servers) {
    simulation.servers.push_back({.bandwidth_bit_s = server.bandwidth_bit_s.value_or(0),
                                  .update_s = server.apply_s.value_or(0)});
  }
  // A file that names no server tells what an exchange takes by `update` of its types.
  if (simulation.servers.empty()) simulation.servers.emplace_back();
  return simulation;
}

int64_t StepsOf(const decide::WorkerPlan& worker) {
  return worker.shard == 0 ? 0 : (worker.shard + worker.batch - 1) / worker.batch;
}

void AddWorkers(const ModelUpdate& update, const decide::SchedulePlan& plan,
                const SimulateReport& report, decide::Simulation& simulation) {
  // Who goes in step takes as many steps as the one with the most, with smaller batches.
  int64_t most = 0;
  for (const decide::WorkerPlan& worker : plan.workers) most = std::max(most, StepsOf(worker));
  const bool in_step = report.strategy != Strategy::kAsyncParameterServer;
  for (size_t i = 0; i < plan.workers.size(); ++i) {
    const decide::WorkerPlan& worker = plan.workers[i];
    if (worker.shard == 0) continue;
    const auto shard = static_cast<double>(worker.shard);
    decide::SimulatedWorker one;
    one.steps = in_step ? most : StepsOf(worker);
    // Batches of those in step are what their shards leave for a step.
    const int64_t batch = (worker.shard + one.steps - 1) / one.steps;
    one.compute_s =
        shard * update.estimates->ComputePerSample(i, in_step ? batch : worker.batch, plan.crew) /
        static_cast<double>(one.steps);
    one.stream = i;
    if (!report.exchange_simulated) {
      one.compute_s += update.estimates->UpdatePerStep(i, worker.batch, plan.crew);
    }
    const core::ClusterWorker& node = update.cluster.workers[i];
    one.bandwidth_bit_s = report.exchange_simulated ? node.bandwidth_bit_s.value_or(0) : 0;
    one.begin_s = node.initialise_s + shard * node.transfer_s_per_sample;
    simulation.workers.push_back(one);
  }
}

double Mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

base::Status Carry(const ModelUpdate& update, const SimulateRequest& request,
                   const Context& context, PolicySimulation& one, SimulateReport& report) {
  decide::Simulation simulation = Common(update, request, report);
  AddWorkers(update, one.plan, report, simulation);
  for (size_t repeat = 0; repeat < request.repeats; ++repeat) {
    simulation.seed = request.seed + repeat;
    RECKON_ASSIGN(const decide::SimulationReport done, decide::Simulate(simulation, context.stop));
    one.epoch_s.push_back(done.training_s / static_cast<double>(update.epochs));
    one.total_s.push_back(done.seconds);
    one.failures += static_cast<double>(done.failures) / static_cast<double>(request.repeats);
    one.busiest_link += done.busiest_link / static_cast<double>(request.repeats);
    report.events += done.events;
    context.progress.Advance(1);
  }
  one.mean_epoch_s = Mean(one.epoch_s);
  one.mean_total_s = Mean(one.total_s);
  for (const decide::WorkerPlan& worker : one.plan.workers) {
    one.late_workers += worker.late_apps.empty() ? 0 : 1;
  }
  return {};
}

}  // namespace

Result<SimulateReport> Simulate(const SimulateRequest& request, const Context& context) {
  if (request.repeats < 1) return base::BadInput("--repeats 0: expected at least 1");
  RECKON_ASSIGN(const auto policies, PoliciesOf(request));
  RECKON_ASSIGN(const ModelUpdate update, ReadModelUpdate(request.update, context));
  SimulateReport report;
  report.cluster = update.cluster.name;
  report.job = update.file.job.name;
  report.workers = update.cluster.workers.size();
  report.samples = update.samples;
  report.epochs = update.epochs;
  report.strategy = update.file.job.trainer->strategy;
  report.exchange_simulated = KnowsExchange(update.cluster, report.strategy);
  report.bytes = static_cast<double>(update.parameters) *
                 (update.file.job.trainer->float64 ? sizeof(double) : sizeof(float));
  const decide::ScheduleProblem problem = update.Problem();
  const auto begin = std::chrono::steady_clock::now();
  context.progress.Begin("simulating", policies.size() * request.repeats);
  for (const decide::SchedulePolicy policy : policies) {
    PolicySimulation one;
    one.policy = policy;
    auto plan = decide::MakeSchedule(problem, policy);
    if (plan.ok()) {
      one.plan = std::move(plan).value();
      RECKON_TRY(Carry(update, request, context, one, report));
    } else {
      one.problem = plan.error().Describe();
    }
    report.policies.push_back(std::move(one));
  }
  context.progress.End();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (std::all_of(report.policies.begin(), report.policies.end(),
                  [](const PolicySimulation& one) { return !one.problem.empty(); })) {
    return base::BadInput(report.policies.front().problem);
  }
  return report;
}

Json ToJson(const SimulateReport& report) {
  Json json{{"cluster", report.cluster},
            {"job", report.job},
            {"workers", report.workers},
            {"samples", report.samples},
            {"epochs", report.epochs},
            {"strategy", core::StrategyName(report.strategy)},
            {"exchange", report.exchange_simulated ? "simulated" : "estimated"},
            {"bytes", report.bytes},
            {"events", report.events},
            {"policies", Json::array()}};
  for (const PolicySimulation& one : report.policies) {
    Json policy{{"policy", decide::SchedulePolicyName(one.policy)}};
    if (!one.problem.empty()) {
      policy["problem"] = one.problem;
    } else {
      policy["crew"] = one.plan.crew;
      policy["planned_epoch_s"] = one.plan.epoch_s;
      policy["planned_total_s"] = one.plan.total_s;
      policy["mean_epoch_s"] = one.mean_epoch_s;
      policy["mean_total_s"] = one.mean_total_s;
      policy["epoch_s"] = one.epoch_s;
      policy["total_s"] = one.total_s;
      policy["failures"] = one.failures;
      policy["busiest_link"] = one.busiest_link;
      policy["late_workers"] = one.late_workers;
    }
    json["policies"].push_back(std::move(policy));
  }
  return json;
}

}  // namespace reckon::app
