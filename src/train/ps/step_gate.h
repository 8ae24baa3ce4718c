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
  // How long a worker waits for one that says nothing before the run is given up, and how long one
  // that was lost may take to come back before the others are done without it.
  std::chrono::milliseconds patience{30'000};

  // How often somebody who waits is told so: often enough that neither side is taken for hung.
  std::chrono::milliseconds interval() const;
};

// All members may be called from any thread.
//
// Asynchronous workers come and go, and nobody waits for one that is lost. In synchronous mode
// every worker must push every step until it leaves: one that is lost, never comes or stands still
// ends the run for all, with the reason.
class StepGate {
 public:
  using Clock = std::chrono::steady_clock;
  using Waiting = std::function<base::Status()>;

  explicit StepGate(const GateOptions& options);

  // kBadInput: it is here already. kFailed: the run has ended.
  base::Status Join(size_t worker);
  // It has no more to do.
  void Leave(size_t worker);
  // Its connection broke.
  void Lose(size_t worker, const std::string& why);
  // It has sent something, so it does not stand still.
  void Heard(size_t worker);

  // After a worker's push. Synchronous: the last worker to arrive calls `update`, the others wait
  // for that. Asynchronous: waits while the worker is too far ahead. Who waits calls `waiting` once
  // an interval, without a lock; its error ends the wait.
  base::Status Arrive(size_t worker, const std::function<void()>& update, const Waiting& waiting);

  // Ends every wait with this reason; the first one counts.
  void End(base::Error why);

  // When nobody is to be expected any more: all have left, and those that were lost have not come
  // back within the patience. Asynchronous: one that never came is waited for `late` longer than
  // the last of the others was here, if any of them has done its work. Nothing: somebody is here,
  // or still to come.
  std::optional<Clock::time_point> over_at(std::chrono::milliseconds late) const;
  std::optional<base::Error> ended() const;

 private:
  enum class Presence { kExpected, kHere, kLeft, kLost };
  struct Worker {
    Presence presence = Presence::kExpected;
    Clock::time_point since{};  // the presence is what it is
    Clock::time_point heard{};
    uint64_t steps = 0;
    bool arrived = false;  // synchronous: has pushed the step under way
  };
  using Lock = std::unique_lock<std::mutex>;

  base::Status ArriveInStep(size_t worker, const std::function<void()>& update,
                            const Waiting& waiting, Lock& lock);
  base::Status ArriveAlone(size_t worker, const Waiting& waiting, Lock& lock);
  base::Status Wait(Clock::time_point& next, const Waiting& waiting, Lock& lock);
  bool AllArrived() const;
  bool TooFarAhead(size_t worker) const;
  void GiveUpTheSilent(Clock::time_point since);
  void Enter(size_t worker, Presence presence);

  const GateOptions options_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::vector<Worker> workers_;
  uint64_t round_ = 0;
  std::optional<base::Error> ended_;
};

}  // namespace reckon::train
