#include "train/ps/step_gate.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace reckon::train {

using base::Error;
using base::ErrorCode;

namespace {
constexpr std::chrono::milliseconds kNewsOfDeath{2'000};
}  // namespace

StepGate::StepGate(const GateOptions& options) : options_(options), workers_(options.workers) {}

base::Status StepGate::Join(size_t worker) {
  Lock lock(mutex_);
  if (ended_) return *ended_;
  if (worker >= workers_.size()) {
    return base::BadInput(
        fmt::format("worker {}; this run has workers 0 to {}", worker, workers_.size() - 1));
  }
  Worker& own = workers_[worker];
  // One that died and comes back may be quicker than the news of its death.
  changed_.wait_for(lock, kNewsOfDeath,
                    [&] { return ended_.has_value() || own.presence != Presence::kHere; });
  if (ended_) return *ended_;
  if (own.presence == Presence::kHere) {
    return base::BadInput(fmt::format("worker {} is here already", worker));
  }
  // Who comes later starts where the slowest is: it has not worked less on purpose.
  uint64_t slowest = UINT64_MAX;
  for (const Worker& other : workers_) {
    if (other.presence == Presence::kHere) slowest = std::min(slowest, other.steps);
  }
  if (slowest != UINT64_MAX) own.steps = std::max(own.steps, slowest);
  own.presence = Presence::kHere;
  own.arrived = false;
  changed_.notify_all();
  return {};
}

void StepGate::Leave(size_t worker) {
  const std::lock_guard lock(mutex_);
  workers_[worker].presence = Presence::kLeft;
  changed_.notify_all();
}

void StepGate::Lose(size_t worker, const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (workers_[worker].presence != Presence::kHere) return;
  workers_[worker].presence = Presence::kLost;
  if (options_.mode == StepMode::kSync && !ended_) {
    ended_ = Error(ErrorCode::kFailed,
                   fmt::format("worker {} was lost in step {}: {}", worker, round_ + 1, why));
  }
  changed_.notify_all();
}

base::Status StepGate::Arrive(size_t worker, const std::function<void()>& update) {
  Lock lock(mutex_);
  if (ended_) return *ended_;
  ++workers_[worker].steps;
  changed_.notify_all();
  return options_.mode == StepMode::kSync ? ArriveInStep(worker, update, lock)
                                          : ArriveAlone(worker, lock);
}

base::Status StepGate::ArriveInStep(size_t worker, const std::function<void()>& update,
                                    Lock& lock) {
  workers_[worker].arrived = true;
  const uint64_t own_round = round_;
  const auto deadline = std::chrono::steady_clock::now() + options_.patience;
  while (round_ == own_round) {
    if (ended_) return *ended_;
    if (AllArrived()) {
      // Nobody else moves while all wait for this.
      update();
      for (Worker& other : workers_) other.arrived = false;
      ++round_;
      changed_.notify_all();
      return {};
    }
    if (changed_.wait_until(lock, deadline) == std::cv_status::timeout && round_ == own_round &&
        !ended_ && !AllArrived()) {
      ended_ = Error(ErrorCode::kFailed,
                     fmt::format("no gradients of {} for step {} after {} s", Missing(), round_ + 1,
                                 static_cast<double>(options_.patience.count()) / 1000));
      changed_.notify_all();
    }
  }
  return {};
}

base::Status StepGate::ArriveAlone(size_t worker, Lock& lock) {
  // The slowest may be slow for as long as it lives: its own connection notices when it stands
  // still.
  changed_.wait(lock, [&] { return ended_.has_value() || !TooFarAhead(worker); });
  if (ended_) return *ended_;
  return {};
}

bool StepGate::AllArrived() const {
  return std::all_of(workers_.begin(), workers_.end(), [](const Worker& worker) {
    return worker.arrived || worker.presence == Presence::kLeft;
  });
}

bool StepGate::TooFarAhead(size_t worker) const {
  if (!options_.staleness) return false;
  return std::any_of(workers_.begin(), workers_.end(), [&](const Worker& other) {
    return other.presence == Presence::kHere &&
           workers_[worker].steps > other.steps + *options_.staleness;
  });
}

std::string StepGate::Missing() const {
  std::vector<std::string> missing;
  for (size_t i = 0; i < workers_.size(); ++i) {
    if (workers_[i].arrived || workers_[i].presence == Presence::kLeft) continue;
    missing.push_back(fmt::format(
        "worker {}{}", i, workers_[i].presence == Presence::kExpected ? " (it never came)" : ""));
  }
  return fmt::format("{}", fmt::join(missing, ", "));
}

void StepGate::End(Error why) {
  const std::lock_guard lock(mutex_);
  if (!ended_) ended_ = std::move(why);
  changed_.notify_all();
}

size_t StepGate::live() const {
  const std::lock_guard lock(mutex_);
  return static_cast<size_t>(
      std::count_if(workers_.begin(), workers_.end(),
                    [](const Worker& worker) { return worker.presence == Presence::kHere; }));
}

bool StepGate::finished() const {
  const std::lock_guard lock(mutex_);
  const bool all_gone = std::all_of(workers_.begin(), workers_.end(), [](const Worker& worker) {
    return worker.presence == Presence::kLeft || worker.presence == Presence::kLost;
  });
  return all_gone;
}

bool StepGate::deserted() const {
  const std::lock_guard lock(mutex_);
  bool left = false;
  for (const Worker& worker : workers_) {
    if (worker.presence == Presence::kHere) return false;
    left |= worker.presence == Presence::kLeft;
  }
  return left && options_.mode == StepMode::kAsync;
}

std::optional<Error> StepGate::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

}  // namespace reckon::train
