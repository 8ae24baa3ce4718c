// Which workers update a model, with how many samples and which batches, so that it ends soonest
// and no app beside it misses its deadline (Deep-Edge, sections III and IV).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace reckon::decide {

// What a policy asks about a cluster whose state is given: Deep-Edge's estimators. Batches are 1 or
// more; `crew` is the number of workers that train together, this one included. What one worker's
// batch does to another is not asked for.
class NodeEstimates {
 public:
  virtual ~NodeEstimates() = default;
  // EstComputeTime: seconds for one sample, forwards and backwards. Of the crew as well: who waits
  // less for the server shares its device with more of its own exchange, and machines may share
  // more than a network.
  virtual double ComputePerSample(size_t worker, int64_t batch, size_t crew) const = 0;
  // EstUpdateTime: seconds of one step for push, update and pull.
  virtual double UpdatePerStep(size_t worker, int64_t batch, size_t crew) const = 0;
  // EstExecTime of EstState: seconds that an app of the worker takes while it trains.
  virtual double AppLatency(size_t worker, size_t app, int64_t batch, size_t crew) const = 0;
  // The same with what is not known of it: it should hardly ever be more. Policies that promise to
  // keep deadlines go by this; Deep-Edge's goes by the estimate alone.
  virtual double AppLatencyBound(size_t worker, size_t app, int64_t batch, size_t crew) const {
    return AppLatency(worker, app, batch, crew);
  }
  // GetMaxBatchSize: 0 when the worker has no memory for any.
  virtual int64_t MaxBatch(size_t worker) const = 0;
};

struct ScheduleApp {
  std::string name;
  double deadline_s = 0;
};

struct ScheduleWorker {
  std::string name;
  std::vector<ScheduleApp> apps;
  double transfer_s_per_sample = 0;  // from where the data are
  double initialise_s = 0;           // once, before it trains
};

struct ScheduleProblem {
  std::vector<ScheduleWorker> workers;
  int64_t samples = 0;
  int64_t epochs = 1;
  int64_t least_batch = 1;
  int64_t most_batch = INT64_MAX;  // beside what memory allows
  const NodeEstimates& estimates;
  // Of Algorithm 1: shards that change by less than epsilon (L2, in samples) stand still, and a
  // round has at most so many iterations.
  double epsilon = 0.5;
  int most_iterations = 100;
};

enum class SchedulePolicy { kReckon, kDeepEdge, kFair, kExact };

base::Result<SchedulePolicy> ParseSchedulePolicy(const std::string& name);
const char* SchedulePolicyName(SchedulePolicy policy);

struct WorkerPlan {
  int64_t shard = 0;  // samples; 0: left out
  int64_t batch = 0;
  double epoch_s = 0;     // expected
  double total_s = 0;     // with transfer, initialisation and all epochs
  std::string left_out;   // why, in words; empty: it takes part
  std::string late_apps;  // apps that should miss their deadlines; only a policy blind to them
};

struct SchedulePlan {
  SchedulePolicy policy = SchedulePolicy::kReckon;
  std::vector<WorkerPlan> workers;  // as in the problem
  size_t crew = 0;                  // workers that take part
  double epoch_s = 0;               // of the slowest
  double total_s = 0;               // likewise
  int rounds = 0;                   // of Algorithm 1
  int iterations = 0;
};

// kBadInput: no workers or samples, batches or deadlines that make no sense, too many workers for
// kExact; or every worker would make an app miss its deadline or lacks memory, and the message
// tells by how much, and which wish comes nearest.
base::Result<SchedulePlan> MakeSchedule(const ScheduleProblem& problem, SchedulePolicy policy);

// kExact looks at every subset.
inline constexpr size_t kMostExactWorkers = 8;

}  // namespace reckon::decide
