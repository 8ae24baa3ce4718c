// Who takes part in a run with a parameter server, and when each worker may go on.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace reckon::train {

enum class StepMode { kAsync, kSync };

struct GateOptions {
  StepMode mode = StepMode::kAsync;
  size_t workers = 1;
  // Async: no worker is more steps ahead of the slowest than this.
  std::optional<uint64_t> staleness;
  // How long a worker waits for another one before the run is given up.
  std::chrono::milliseconds patience{30'000};
};

// All members may be called from any thread.
//
// Asynchronous workers come and go, and nobody waits for one that is lost. In synchronous mode
// every worker must push every step until it leaves: one that is lost, never comes or stands still
// ends the run for all, with the reason.
class StepGate {
 public:
  explicit StepGate(const GateOptions& options);

  // kBadInput: no such worker, or it is here already. kFailed: the run has ended.
  base::Status Join(size_t worker);
  // It has no more to do.
  void Leave(size_t worker);
  // Its connection broke.
  void Lose(size_t worker, const std::string& why);

  // After a worker's push. Synchronous: the last worker to arrive calls `update`, the others wait
  // for that. Asynchronous: waits while the worker is too far ahead.
  base::Status Arrive(size_t worker, const std::function<void()>& update);

  // Ends every wait with this reason; the first one counts.
  void End(base::Error why);

  size_t live() const;
  // Every worker has been here and has left, or (asynchronous) is lost.
  bool finished() const;
  // Asynchronous: nobody is here, and somebody was who has done its work; the others are lost or
  // never came.
  bool deserted() const;
  std::optional<base::Error> ended() const;

 private:
  enum class Presence { kExpected, kHere, kLeft, kLost };
  struct Worker {
    Presence presence = Presence::kExpected;
    uint64_t steps = 0;
    bool arrived = false;  // synchronous: has pushed the step under way
  };
  using Lock = std::unique_lock<std::mutex>;

  base::Status ArriveInStep(size_t worker, const std::function<void()>& update, Lock& lock);
  base::Status ArriveAlone(size_t worker, Lock& lock);
  bool AllArrived() const;
  bool TooFarAhead(size_t worker) const;
  std::string Missing() const;

  const GateOptions options_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::vector<Worker> workers_;
  uint64_t round_ = 0;
  std::optional<base::Error> ended_;
};

}  // namespace reckon::train
