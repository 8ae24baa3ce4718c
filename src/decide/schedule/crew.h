// What the policies share: speeds and limits of single workers, and plans of a chosen crew.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "decide/schedule/schedule.h"

namespace reckon::decide {

// A worker with its batch.
struct Seat {
  size_t worker = 0;
  int64_t batch = 0;
};

// Seconds of an epoch for each sample of the worker's shard: compute, and its part of the updates.
double EpochPerSample(const ScheduleProblem& problem, const Seat& seat, size_t crew);

// 0: the worker cannot have any batch.
int64_t LargestBatch(const ScheduleProblem& problem, size_t worker);

// The batches that `exact` and `reckon` choose among: powers of two from the least on, and the
// largest. Ascending.
std::vector<int64_t> BatchGrid(const ScheduleProblem& problem, size_t worker);

// An app that should miss its deadline, or may.
struct LateApp {
  size_t app = 0;
  double latency_s = 0;
};
enum class Caution { kNone /* estimates */, kBounds /* what they should hardly ever exceed */ };
std::optional<LateApp> FirstLateApp(const ScheduleProblem& problem, const Seat& seat, size_t crew,
                                    Caution caution);
std::string Describe(const ScheduleProblem& problem, size_t worker, const LateApp& late);

// What a worker takes: `fixed_s` once and `per_sample_s` for each sample of its shard.
struct Pace {
  double fixed_s = 0;
  double per_sample_s = 0;
};
Pace PaceOf(const ScheduleProblem& problem, const Seat& seat, size_t crew);

// The moment at which all have done `samples` samples between them, each to its last fraction.
double EarliestEnd(std::span<const Pace> paces, double samples);
// Whole shards that sum to `samples` and let the last worker end as early as possible.
std::vector<int64_t> ShareOut(std::span<const Pace> paces, int64_t samples);

// The plan of these seats with these shards; those without a sample do not take part.
SchedulePlan PlanOf(const ScheduleProblem& problem, std::span<const Seat> seats,
                    std::span<const int64_t> shards);

// As PlanOf, with the shards that are best for the seats. Batches are cut to shards; who would have
// less than the smallest batch does not take part.
SchedulePlan BestPlanOf(const ScheduleProblem& problem, std::vector<Seat> seats);

// What nobody can do, and by how much.
base::Error NobodyLeft(const ScheduleProblem& problem, Caution caution);

}  // namespace reckon::decide
