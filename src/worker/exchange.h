// How workers keep their replicas together: the strategies.
#pragma once

#include <memory>

#include "base/result.h"
#include "core/job.h"
#include "train/check_job.h"
#include "train/data/prefetch.h"
#include "train/optimiser.h"
#include "train/ps/client.h"
#include "train/saved_model.h"
#include "worker/process_group.h"
#include "worker/rank_environment.h"
#include "worker/replica.h"

namespace reckon::worker {

struct Training;  // training.h

// A worker's part of one step.
struct StepPart {
  const train::Batch* batch = nullptr;  // none: this worker has run out of data in this epoch
  size_t total = 0;                     // images of all workers in this step
  uint64_t step = 0;                    // since the beginning of the training
  bool last = false;                    // of its epoch
  bool wants_end = false;               // this worker has heard that the training shall end with it
};

// What a step took, in seconds. All-reduce: `push` is what of the sums the backward pass could not
// hide, `update` the optimiser's part, and nothing is pulled.
struct StepOutcome {
  double loss = 0;    // mean over this worker's batch
  double wait_s = 0;  // for the batch, before the step
  double compute_s = 0;
  double push_s = 0;
  double update_s = 0;
  double pull_s = 0;
  uint64_t bytes_sent = 0;  // numbers only; packets and headers are the kernel's to count
  uint64_t bytes_received = 0;
  bool ends = false;  // some worker wants so; the same for all that go together
};

// For one thread.
class Exchange {
 public:
  virtual ~Exchange() = default;

  // Brings all replicas to the same parameters. Returns the steps that they have behind them (this
  // worker's own, unless they go together): more than 0 when the training goes on.
  virtual base::Result<uint64_t> Begin() = 0;
  virtual base::Result<StepOutcome> Step(const StepPart& part) = 0;
  // Whether a worker without data takes part in the step all the same.
  virtual bool together() const = 0;
  // Everything that is needed to go on later or elsewhere.
  virtual train::SavedModel Save(uint64_t steps) const = 0;
  // Called as often as work between steps makes progress, so that the others do not take this
  // worker for hung.
  virtual void Alive() = 0;
  // This worker is done; its replica has the final parameters.
  virtual base::Status Finish() = 0;
};

// Small enough that most of a network is on its way while its first layers are still computed,
// large enough that a sum's fixed cost does not count.
inline constexpr size_t kBucketBytes = size_t{1} << 20;

// Synchronous all-reduce; every worker keeps the optimiser's state. A group of nullptr is one
// worker alone. `resume`: what rank 0 goes on from, or nothing. `replica` outlives it.
std::unique_ptr<Exchange> MakeAllReduce(Replica& replica, std::unique_ptr<ProcessGroup> group,
                                        size_t rank, size_t workers,
                                        const train::OptimiserOptions& optimiser,
                                        std::optional<train::SavedModel> resume,
                                        size_t bucket_bytes = kBucketBytes);

// Parameter servers, synchronous (options.in_step) or not.
std::unique_ptr<Exchange> MakeServerExchange(Replica& replica, const train::ClientOptions& options);

// What the job's strategy wants of this rank. The replica begins with the job's checkpoint or base
// model.
base::Result<std::unique_ptr<Exchange>> MakeExchange(const Training& training,
                                                     const RankEnvironment& environment,
                                                     Replica& replica,
                                                     size_t bucket_bytes = kBucketBytes);

}  // namespace reckon::worker
