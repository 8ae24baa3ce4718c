// reckon simulate: plans of several policies carried out by a simulator, for clusters that nobody
// has.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/context.h"
#include "app/schedule/model_update.h"
#include "base/json.h"
#include "base/result.h"
#include "core/job.h"
#include "decide/schedule/schedule.h"

namespace reckon::app {

struct SimulateRequest {
  ModelUpdateFiles update;
  std::vector<std::string> policies;  // none: fair, deep-edge and reckon
  double jitter = 0.1;                // relative standard deviation of a step's computing
  double failures_per_hour = 0;       // of a worker
  double restart_s = 30;
  double latency_s = 0;  // of messages, one way
  size_t repeats = 5;    // with other draws
  uint64_t seed = 1;
};

struct PolicySimulation {
  decide::SchedulePolicy policy = decide::SchedulePolicy::kReckon;
  std::string problem;  // why there is no plan; empty: there is one
  decide::SchedulePlan plan;
  size_t late_workers = 0;  // whose apps should miss their deadlines
  // One a repeat: of an epoch (the worker that trains longest), and of everything.
  std::vector<double> epoch_s;
  std::vector<double> total_s;
  double mean_epoch_s = 0;
  double mean_total_s = 0;
  double failures = 0;  // a repeat, on average
  double busiest_link = 0;
};

struct SimulateReport {
  std::string cluster;
  std::string job;
  size_t workers = 0;
  int64_t samples = 0;
  int64_t epochs = 0;
  core::Strategy strategy = core::Strategy::kAllReduce;
  // Whether gradients travel over links and queue at servers; else an exchange takes what the
  // estimates say.
  bool exchange_simulated = false;
  double bytes = 0;  // of all parameters
  std::vector<PolicySimulation> policies;
  uint64_t events = 0;
  double seconds = 0;  // that simulating took
};

// kBadInput: files that are wrong, policies that are unknown, or no policy has a plan.
base::Result<SimulateReport> Simulate(const SimulateRequest& request, const Context& context);

base::Json ToJson(const SimulateReport& report);

}  // namespace reckon::app
