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
  return estimates.ComputePerSample(seat.worker, seat.batch, crew) +
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

namespace {

double LatencyOf(const ScheduleProblem& problem, const Seat& seat, size_t app, size_t crew,
                 Caution caution) {
  const NodeEstimates& estimates = problem.estimates;
  return caution == Caution::kBounds ? estimates.AppLatencyBound(seat.worker, app, seat.batch, crew)
                                     : estimates.AppLatency(seat.worker, app, seat.batch, crew);
}

}  // namespace

std::optional<LateApp> FirstLateApp(const ScheduleProblem& problem, const Seat& seat, size_t crew,
                                    Caution caution) {
  const std::vector<ScheduleApp>& apps = problem.workers[seat.worker].apps;
  for (size_t app = 0; app < apps.size(); ++app) {
    const double latency = LatencyOf(problem, seat, app, crew, caution);
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

namespace {

// Takes those seats away that have less than the smallest batch: all that have nothing, else the
// half with the least, since the others get their part. Whether there were any; one always stays.
bool DropIdle(int64_t least_batch, const std::vector<int64_t>& shards, std::vector<Seat>& seats,
              std::vector<int64_t>& cut) {
  std::vector<size_t> below;
  for (size_t i = 0; i < shards.size(); ++i) {
    if (shards[i] < least_batch) below.push_back(i);
  }
  if (below.empty() || seats.size() == 1) return false;
  std::stable_sort(below.begin(), below.end(),
                   [&](size_t a, size_t b) { return shards[a] < shards[b]; });
  const auto idle = static_cast<size_t>(
      std::count_if(below.begin(), below.end(), [&](size_t i) { return shards[i] == 0; }));
  below.resize(idle > 0 ? idle : (below.size() + 1) / 2);
  if (below.size() == seats.size()) below.pop_back();
  std::vector<bool> gone(seats.size(), false);
  for (const size_t i : below) gone[i] = true;
  std::vector<Seat> kept;
  std::vector<int64_t> kept_cut;
  for (size_t i = 0; i < seats.size(); ++i) {
    if (gone[i]) continue;
    kept.push_back(seats[i]);
    kept_cut.push_back(cut[i]);
  }
  seats = std::move(kept);
  cut = std::move(kept_cut);
  return true;
}

}  // namespace

SchedulePlan BestPlanOf(const ScheduleProblem& problem, std::vector<Seat> seats) {
  // A batch that is larger than its worker's shard is cut, which changes the paces, and they the
  // shards: a few times, where samples are few. Shards that grow again let batches grow again;
  // where that goes round in circles the best is kept.
  constexpr int kMostChanges = 100;
  std::optional<SchedulePlan> best;
  std::vector<int64_t> cut;
  for (const Seat& seat : seats) cut.push_back(seat.batch);
  for (int change = 0; change < kMostChanges;) {
    std::vector<Pace> paces;
    for (size_t i = 0; i < seats.size(); ++i) {
      paces.push_back(PaceOf(problem, {seats[i].worker, cut[i]}, seats.size()));
    }
    const std::vector<int64_t> shards = ShareOut(paces, problem.samples);
    if (DropIdle(problem.least_batch, shards, seats, cut)) {
      best.reset();  // of another crew
      continue;
    }
    ++change;
    SchedulePlan plan = PlanOf(problem, seats, shards);
    if (!best || plan.total_s < best->total_s) best = std::move(plan);
    bool changed = false;
    for (size_t i = 0; i < seats.size(); ++i) {
      const int64_t next = std::min(seats[i].batch, shards[i]);
      changed |= next != cut[i];
      cut[i] = next;
    }
    if (!changed) break;
  }
  return *std::move(best);
}

namespace {

// The least factor by which deadlines would have to be longer for the seat, and who is late.
struct Nearest {
  double factor = std::numeric_limits<double>::infinity();
  std::string late;
};

Nearest NearestOf(const ScheduleProblem& problem, const Seat& seat, Caution caution) {
  Nearest nearest;
  std::vector<std::string> late;
  double factor = 1;
  const std::vector<ScheduleApp>& apps = problem.workers[seat.worker].apps;
  for (size_t app = 0; app < apps.size(); ++app) {
    const double latency = LatencyOf(problem, seat, app, 1, caution);
    if (latency <= apps[app].deadline_s) continue;
    factor = std::max(factor, latency / apps[app].deadline_s);
    // Rounded up: who types it in must not be refused again.
    const double milliseconds = std::ceil(1000 * latency);
    late.push_back(fmt::format("app '{}' takes {} instead of {}: a deadline of {:.0f}ms would do",
                               apps[app].name, base::FormatDuration(latency),
                               base::FormatDuration(apps[app].deadline_s), milliseconds));
  }
  if (late.empty()) return nearest;
  nearest.factor = factor;
  nearest.late = base::Join(late, ", and ");
  return nearest;
}

}  // namespace

Error NobodyLeft(const ScheduleProblem& problem, Caution caution) {
  size_t without = 0;
  int64_t most = 0;
  Nearest nearest;
  std::string where;
  bool smaller_would_do = false;
  for (size_t worker = 0; worker < problem.workers.size(); ++worker) {
    without += LargestBatch(problem, worker) == 0;
    most = std::max(most, std::min(problem.estimates.MaxBatch(worker), problem.most_batch));
    for (const int64_t batch : BatchGrid(problem, worker)) {
      const Seat seat{worker, batch};
      const bool largest = batch == LargestBatch(problem, worker);
      if (!FirstLateApp(problem, seat, 1, Caution::kBounds)) smaller_would_do = true;
      // Algorithm 1 gives everybody the largest batch.
      if (caution == Caution::kNone && !largest) continue;
      Nearest one = NearestOf(problem, seat, caution);
      if (one.factor >= nearest.factor) continue;
      nearest = std::move(one);
      where = fmt::format("; nearest is {} with batches of {}, where ",
                          problem.workers[worker].name, batch);
    }
  }
  if (without == problem.workers.size()) {
    return Error(ErrorCode::kBadInput,
                 most > 0
                     ? fmt::format("no worker can have a batch of {}; the largest that memory and "
                                   "--max-batch allow is {}: --min-batch {} would do",
                                   problem.least_batch, most, most)
                     : "no worker has memory for any batch");
  }
  std::string text = "every worker would make an app late as this policy would use it";
  if (smaller_would_do) text += "; policy reckon has a plan, with smaller batches";
  return Error(ErrorCode::kBadInput, text + where + nearest.late);
}

}  // namespace reckon::decide
