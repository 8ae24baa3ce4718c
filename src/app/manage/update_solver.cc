#include "app/manage/update_solver.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "app/manage/attempt_plan.h"
#include "app/schedule/cluster_estimates.h"
#include "app/schedule/model_update.h"
#include "core/cluster.h"
#include "decide/schedule/schedule.h"

namespace reckon::app {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;

constexpr double kMemoryLimit = 0.9;  // share of a node's memory that may be used

double SpeedOf(const KnownNode& node) { return node.info.cpus / node.info.dilation; }

// Takes the nodes of the servers out of `free`: those that were asked for, or the slowest ones,
// since workers compute and servers add up.
Result<std::vector<KnownNode>> TakeServers(const SolverRequest& request,
                                           std::vector<KnownNode>& free) {
  std::vector<KnownNode> servers;
  const auto wanted = static_cast<size_t>(request.job.servers);
  for (size_t i = 0; i < wanted; ++i) {
    auto chosen = free.end();
    if (i < request.ask.servers.size()) {
      const std::string& name = request.ask.servers[i];
      chosen = std::find_if(free.begin(), free.end(),
                            [&](const KnownNode& node) { return node.info.name == name; });
      if (chosen == free.end()) {
        return Error(ErrorCode::kUnavailable,
                     fmt::format("node {}, of a server, is not free", name));
      }
    } else {
      chosen = std::min_element(
          free.begin(), free.end(),
          [](const KnownNode& a, const KnownNode& b) { return SpeedOf(a) < SpeedOf(b); });
      if (chosen == free.end()) return Error(ErrorCode::kUnavailable, "no node is free");
    }
    servers.push_back(*chosen);
    free.erase(chosen);
  }
  if (free.empty()) {
    return Error(ErrorCode::kUnavailable, "beside the servers no node is free to work");
  }
  return servers;
}

core::Node NodeOf(const KnownNode& known) {
  core::Node node;
  node.name = known.info.name;
  node.machine_type = known.info.type;
  node.cpus = known.info.cpus;
  node.memory_bytes = static_cast<int64_t>(known.info.memory_bytes);
  node.price_per_hour = known.info.price_per_hour;
  node.state = {known.now.cpu, known.now.gpu.value_or(0), known.now.memory};
  for (const auto& [name, deadline_s] : known.info.apps) {
    node.background_apps.push_back({name, deadline_s});
  }
  return node;
}

// Whole shares that are as near to the speeds as they can be, and sum to all images.
std::vector<int64_t> SharesBySpeed(const std::vector<double>& speeds, int64_t images) {
  const double all = std::accumulate(speeds.begin(), speeds.end(), 0.0);
  std::vector<int64_t> shares;
  double before = 0;
  int64_t given = 0;
  for (const double speed : speeds) {
    before += speed;
    const auto until = static_cast<int64_t>(static_cast<double>(images) * before / all + 0.5);
    shares.push_back(until - given);
    given = until;
  }
  return shares;
}

void ChooseBySpeed(const SolverRequest& request, const std::vector<KnownNode>& workers,
                   UpdatePlan& plan) {
  const bool equal = request.ask.policy == "fair";
  std::vector<double> speeds;
  for (const KnownNode& node : workers) speeds.push_back(equal ? 1 : SpeedOf(node));
  const std::vector<int64_t> shares = SharesBySpeed(speeds, request.ask.images);
  const int64_t batch = request.job.trainer->batches.front();
  for (size_t i = 0; i < workers.size(); ++i) {
    const std::string& name = workers[i].info.name;
    if (shares[i] > 0) {
      plan.shares.push_back({name, shares[i], std::min(batch, shares[i])});
    } else {
      plan.left_out[name] = "no image is left for it";
    }
  }
}

base::Status ChooseByEstimators(const SolverRequest& request, store::Store& store,
                                const std::vector<KnownNode>& servers,
                                const std::vector<KnownNode>& workers, UpdatePlan& plan) {
  core::Cluster cluster;
  cluster.campaign = request.ask.estimators;
  for (const KnownNode& node : servers) cluster.servers.push_back({NodeOf(node)});
  for (const KnownNode& node : workers) cluster.workers.push_back({NodeOf(node)});
  const core::Job job = JobOfUpdate(request.job, request.ask, {});
  RECKON_ASSIGN(const size_t parameters, ParametersOf(*job.trainer));
  RECKON_ASSIGN(const auto estimates,
                ClusterEstimates::Open(cluster, static_cast<double>(parameters), kMemoryLimit,
                                       EstimatesOf(store)));
  decide::ScheduleProblem problem = ProblemOf(cluster, *estimates);
  problem.samples = request.ask.images;
  problem.epochs = job.trainer->epochs;
  RECKON_ASSIGN(const decide::SchedulePolicy policy,
                decide::ParseSchedulePolicy(request.ask.policy));
  RECKON_ASSIGN(const decide::SchedulePlan schedule, decide::MakeSchedule(problem, policy));
  for (size_t i = 0; i < workers.size(); ++i) {
    const decide::WorkerPlan& worker = schedule.workers[i];
    const std::string& name = workers[i].info.name;
    if (worker.shard > 0) {
      plan.shares.push_back({name, worker.shard, worker.batch});
    } else {
      plan.left_out[name] = worker.left_out;
    }
  }
  plan.epoch_s = schedule.epoch_s;
  return {};
}

}  // namespace

Result<UpdatePlan> ChooseShares(const SolverRequest& request, store::Store& store) {
  std::vector<KnownNode> workers = request.nodes;
  RECKON_ASSIGN(const std::vector<KnownNode> servers, TakeServers(request, workers));
  UpdatePlan plan;
  for (const KnownNode& server : servers) plan.servers.push_back(server.info.name);
  if (request.ask.estimators.empty()) {
    ChooseBySpeed(request, workers, plan);
  } else {
    RECKON_TRY(ChooseByEstimators(request, store, servers, workers, plan));
  }
  return plan;
}

}  // namespace reckon::app
