#include "decide/schedule/crew.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"

namespace reckon::decide {
namespace {

using base::Error;
using base::ErrorCode;

}  // namespace

double EpochPerSample(const ScheduleProblem& problem, const Seat& seat, size_t crew) {
  const NodeEstimates& estimates = problem.estimates;
  return estimates.ComputePerSample(seat.worker, seat.batch) +
         estimates.UpdatePerStep(seat.worker, seat.batch, crew) / static_cast<double>(seat.batch);
}

int64_t LargestBatch(const ScheduleProblem& problem, size_t worker) {
  const int64_t most =
      std::min({problem.estimates.MaxBatch(worker), problem.most_batch, problem.samples});
  return most < problem.least_batch ? 0 : most;
}

std::vector<int64_t> BatchGrid(const ScheduleProblem& problem, size_t worker) {
  std::vector<int64_t> grid;
  const int64_t most = LargestBatch(problem, worker);
  if (most == 0) return grid;
  for (int64_t batch = problem.least_batch; batch < most; batch *= 2) {
    grid.push_back(batch);
    if (batch > most / 2) break;
  }
  grid.push_back(most);
  return grid;
}

std::optional<LateApp> FirstLateApp(const ScheduleProblem& problem, const Seat& seat, size_t crew) {
  const std::vector<ScheduleApp>& apps = problem.workers[seat.worker].apps;
  for (size_t app = 0; app < apps.size(); ++app) {
    const double latency = problem.estimates.AppLatency(seat.worker, app, seat.batch, crew);
    if (latency > apps[app].deadline_s) return LateApp{app, latency};
  }
  return std::nullopt;
}

std::string Describe(const ScheduleProblem& problem, size_t worker, const LateApp& late) {
  const ScheduleApp& app = problem.workers[worker].apps[late.app];
  return fmt::format("app '{}' would take {} beside it; its deadline is {}", app.name,
                     base::FormatDuration(late.latency_s), base::FormatDuration(app.deadline_s));
}

Pace PaceOf(const ScheduleProblem& problem, const Seat& seat, size_t crew) {
  const ScheduleWorker& worker = problem.workers[seat.worker];
  return {worker.initialise_s,
          worker.transfer_s_per_sample +
              static_cast<double>(problem.epochs) * EpochPerSample(problem, seat, crew)};
}

double EarliestEnd(std::span<const Pace> paces, double samples) {
  std::vector<Pace> sorted(paces.begin(), paces.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const Pace& a, const Pace& b) { return a.fixed_s < b.fixed_s; });
  // Those that begin early fill up to the moment at which the next one begins.
  double rate = 0;  // samples a second
  double done = 0;  // at `now`
  double now = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const double begin = sorted[i].fixed_s;
    if (i > 0 && done + rate * (begin - now) >= samples) break;
    done += rate * (begin - now);
    now = begin;
    rate += 1 / sorted[i].per_sample_s;
  }
  return now + (samples - done) / rate;
}

std::vector<int64_t> ShareOut(std::span<const Pace> paces, int64_t samples) {
  const double end = EarliestEnd(paces, static_cast<double>(samples));
  std::vector<int64_t> shards;
  int64_t given = 0;
  for (const Pace& pace : paces) {
    const double part = std::floor((end - pace.fixed_s) / pace.per_sample_s);
    shards.push_back(std::min(samples - given, std::max<int64_t>(0, static_cast<int64_t>(part))));
    given += shards.back();
  }
  // What is left over, at most one sample a worker, goes where it ends soonest.
  const auto end_with_one_more = [&](size_t i) {
    return paces[i].fixed_s + static_cast<double>(shards[i] + 1) * paces[i].per_sample_s;
  };
  using Next = std::pair<double, size_t>;
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  for (size_t i = 0; i < paces.size() && given < samples; ++i) next.push({end_with_one_more(i), i});
  for (; given < samples; ++given) {
    const size_t i = next.top().second;
    next.pop();
    ++shards[i];
    next.push({end_with_one_more(i), i});
  }
  return shards;
}

SchedulePlan PlanOf(const ScheduleProblem& problem, std::span<const Seat> seats,
                    std::span<const int64_t> shards) {
  SchedulePlan plan;
  plan.workers.resize(problem.workers.size());
  plan.crew = static_cast<size_t>(
      std::count_if(shards.begin(), shards.end(), [](int64_t shard) { return shard > 0; }));
  for (size_t i = 0; i < seats.size(); ++i) {
    if (shards[i] == 0) continue;
    WorkerPlan& worker = plan.workers[seats[i].worker];
    worker.shard = shards[i];
    worker.batch = std::min(seats[i].batch, shards[i]);
    const Seat seat{seats[i].worker, worker.batch};
    const auto shard = static_cast<double>(worker.shard);
    const Pace pace = PaceOf(problem, seat, plan.crew);
    worker.epoch_s = shard * EpochPerSample(problem, seat, plan.crew);
    worker.total_s = pace.fixed_s + shard * pace.per_sample_s;
    plan.epoch_s = std::max(plan.epoch_s, worker.epoch_s);
    plan.total_s = std::max(plan.total_s, worker.total_s);
  }
  return plan;
}

SchedulePlan BestPlanOf(const ScheduleProblem& problem, std::vector<Seat> seats) {
  std::vector<int64_t> shards;
  // Who gets no sample does not take part, and a batch that is larger than its worker's shard is
  // cut. Both change the paces, and they the shards: a few times, where samples are few.
  constexpr int kMostChanges = 100;
  for (int change = 0; change < kMostChanges; ++change) {
    std::vector<Pace> paces;
    for (const Seat& seat : seats) paces.push_back(PaceOf(problem, seat, seats.size()));
    shards = ShareOut(paces, problem.samples);
    std::vector<Seat> next;
    bool changed = false;
    for (size_t i = 0; i < seats.size(); ++i) {
      changed |= shards[i] < seats[i].batch;
      if (shards[i] > 0) next.push_back({seats[i].worker, std::min(seats[i].batch, shards[i])});
    }
    if (!changed) break;
    if (next.size() < seats.size()) std::erase(shards, 0);
    seats = std::move(next);
  }
  return PlanOf(problem, seats, shards);
}

Error NobodyLeft(const ScheduleProblem& problem) {
  std::string nearest;
  double least = std::numeric_limits<double>::infinity();
  for (size_t worker = 0; worker < problem.workers.size(); ++worker) {
    for (const int64_t batch : BatchGrid(problem, worker)) {
      const auto late = FirstLateApp(problem, {worker, batch}, 1);
      if (!late) continue;
      const ScheduleApp& app = problem.workers[worker].apps[late->app];
      const double more = late->latency_s / app.deadline_s;
      if (more >= least) continue;
      least = more;
      nearest = fmt::format(
          "; nearest is {} with batches of {}, where app '{}' takes {} instead of {}: a deadline "
          "of "
          "{} would do",
          problem.workers[worker].name, batch, app.name, base::FormatDuration(late->latency_s),
          base::FormatDuration(app.deadline_s), base::FormatDuration(late->latency_s));
    }
  }
  size_t without = 0;
  for (size_t i = 0; i < problem.workers.size(); ++i) without += LargestBatch(problem, i) == 0;
  if (without == problem.workers.size()) {
    return Error(ErrorCode::kBadInput,
                 fmt::format("no worker has memory for a batch of {}", problem.least_batch));
  }
  return Error(ErrorCode::kBadInput,
               "every worker would make an app late as this policy would use it" + nearest);
}

}  // namespace reckon::decide
