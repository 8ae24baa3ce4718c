#include "decide/schedule/schedule.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "base/text.h"
#include "decide/schedule/crew.h"
#include "decide/schedule/policies.h"

namespace reckon::decide {
namespace {

constexpr std::array<const char*, 4> kPolicyNames{"reckon", "deep-edge", "fair", "exact"};

base::Status CheckWorkers(const ScheduleProblem& problem) {
  if (problem.workers.empty()) return base::BadInput("a schedule needs at least one worker");
  for (const ScheduleWorker& worker : problem.workers) {
    if (!(worker.transfer_s_per_sample >= 0) || !(worker.initialise_s >= 0)) {
      return base::BadInput(fmt::format(
          "worker {}: times to transfer and initialise must not be below 0", worker.name));
    }
    for (const ScheduleApp& app : worker.apps) {
      if (std::isfinite(app.deadline_s) && app.deadline_s > 0) continue;
      return base::BadInput(
          fmt::format("worker {}: app '{}' has a deadline of {} s; expected one "
                      "above 0",
                      worker.name, app.name, app.deadline_s));
    }
  }
  return {};
}

base::Status Check(const ScheduleProblem& problem, SchedulePolicy policy) {
  RECKON_TRY(CheckWorkers(problem));
  if (problem.samples < 1) {
    return base::BadInput(
        fmt::format("nothing to share out: {} samples; expected at least 1", problem.samples));
  }
  if (problem.epochs < 1) {
    return base::BadInput(fmt::format("{} epochs; expected at least 1", problem.epochs));
  }
  if (problem.least_batch < 1 || problem.most_batch < problem.least_batch) {
    return base::BadInput(
        fmt::format("batches from {} to {}; expected 1 or more, and no empty range",
                    problem.least_batch, problem.most_batch));
  }
  if (problem.samples < problem.least_batch) {
    return base::BadInput(fmt::format("{} do not fill a batch of {}",
                                      base::Count(static_cast<size_t>(problem.samples), "sample"),
                                      problem.least_batch));
  }
  if (policy == SchedulePolicy::kExact && problem.workers.size() > kMostExactWorkers) {
    return base::BadInput(
        fmt::format("'exact' looks at every subset, of at most {} workers; there "
                    "are {}. 'reckon' is as good where both can be compared",
                    kMostExactWorkers, problem.workers.size()));
  }
  return {};
}

}  // namespace

base::Result<SchedulePolicy> ParseSchedulePolicy(const std::string& name) {
  const auto found = std::find(kPolicyNames.begin(), kPolicyNames.end(), name);
  if (found != kPolicyNames.end()) {
    return static_cast<SchedulePolicy>(found - kPolicyNames.begin());
  }
  return base::BadInput(
      fmt::format("unknown policy '{}'; expected reckon, deep-edge, fair or exact", name));
}

const char* SchedulePolicyName(SchedulePolicy policy) {
  return kPolicyNames[static_cast<size_t>(policy)];
}

base::Result<SchedulePlan> FairSchedule(const ScheduleProblem& problem) {
  std::vector<Seat> seats;
  for (size_t i = 0; i < problem.workers.size(); ++i) {
    if (const int64_t batch = LargestBatch(problem, i); batch > 0) seats.push_back({i, batch});
  }
  if (seats.empty()) return NobodyLeft(problem, Caution::kNone);
  // As many as have a batch each.
  const auto most =
      static_cast<size_t>(std::max<int64_t>(1, problem.samples / problem.least_batch));
  if (seats.size() > most) seats.resize(most);
  const auto crew = static_cast<int64_t>(seats.size());
  std::vector<int64_t> shards;
  for (int64_t i = 0; i < crew; ++i) {
    shards.push_back(problem.samples / crew + (i < problem.samples % crew ? 1 : 0));
  }
  SchedulePlan plan = PlanOf(problem, seats, shards);
  plan.policy = SchedulePolicy::kFair;
  for (size_t i = 0; i < plan.workers.size(); ++i) {
    WorkerPlan& worker = plan.workers[i];
    if (worker.shard == 0) {
      worker.left_out = LargestBatch(problem, i) == 0 ? "no memory for the smallest batch"
                                                      : "no sample is left for it";
    } else if (const auto late =
                   FirstLateApp(problem, {i, worker.batch}, plan.crew, Caution::kNone)) {
      worker.late_apps = Describe(problem, i, *late);
    }
  }
  return plan;
}

base::Result<SchedulePlan> MakeSchedule(const ScheduleProblem& problem, SchedulePolicy policy) {
  RECKON_TRY(Check(problem, policy));
  switch (policy) {
    case SchedulePolicy::kFair:
      return FairSchedule(problem);
    case SchedulePolicy::kDeepEdge:
      return DeepEdgeSchedule(problem);
    case SchedulePolicy::kExact:
      return ExactSchedule(problem);
    case SchedulePolicy::kReckon:
      break;
  }
  return ReckonSchedule(problem);
}

}  // namespace reckon::decide
