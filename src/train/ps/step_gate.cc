#include "train/ps/step_gate.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"

namespace reckon::train {

using base::Error;
using base::ErrorCode;

namespace {
constexpr std::chrono::milliseconds kNewsOfDeath{2'000};
constexpr std::chrono::milliseconds kLongestInterval{250};
}  // namespace

std::chrono::milliseconds GateOptions::interval() const {
  return std::clamp(patience / 4, std::chrono::milliseconds(1), kLongestInterval);
}

StepGate::StepGate(const GateOptions& options) : options_(options), workers_(options.workers) {}

void StepGate::Enter(size_t worker, Presence presence) {
  workers_[worker].presence = presence;
  workers_[worker].since = Clock::now();
  workers_[worker].heard = workers_[worker].since;
  changed_.notify_all();
}

base::Status StepGate::Join(size_t worker) {
  RECKON_CHECK(worker < workers_.size());
  Lock lock(mutex_);
  if (ended_) return *ended_;
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
  own.arrived = false;
  Enter(worker, Presence::kHere);
  return {};
}

void StepGate::Leave(size_t worker) {
  const std::lock_guard lock(mutex_);
  Enter(worker, Presence::kLeft);
}

void StepGate::Lose(size_t worker, const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (workers_[worker].presence != Presence::kHere) return;
  if (options_.mode == StepMode::kSync && !ended_) {
    ended_ = Error(ErrorCode::kFailed,
                   fmt::format("worker {} was lost in step {}: {}", worker, round_ + 1, why));
  }
  Enter(worker, Presence::kLost);
}

void StepGate::Heard(size_t worker) {
  const std::lock_guard lock(mutex_);
  workers_[worker].heard = Clock::now();
}

base::Status StepGate::Arrive(size_t worker, const std::function<void()>& update,
                              const Waiting& waiting) {
  Lock lock(mutex_);
  if (ended_) return *ended_;
  ++workers_[worker].steps;
  changed_.notify_all();
  return options_.mode == StepMode::kSync ? ArriveInStep(worker, update, waiting, lock)
                                          : ArriveAlone(worker, waiting, lock);
}

// Until something changes or `next` has come: then it is time to say that this is a wait.
base::Status StepGate::Wait(Clock::time_point& next, const Waiting& waiting, Lock& lock) {
  changed_.wait_until(lock, next);
  if (Clock::now() < next) return {};
  next = Clock::now() + options_.interval();
  lock.unlock();
  base::Status said = waiting();
  lock.lock();
  return said;
}

base::Status StepGate::ArriveInStep(size_t worker, const std::function<void()>& update,
                                    const Waiting& waiting, Lock& lock) {
  workers_[worker].arrived = true;
  const uint64_t own_round = round_;
  const auto since = Clock::now();
  auto next = since + options_.interval();
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
    RECKON_TRY(Wait(next, waiting, lock));
    if (round_ == own_round) GiveUpTheSilent(since);
  }
  return {};
}

base::Status StepGate::ArriveAlone(size_t worker, const Waiting& waiting, Lock& lock) {
  // The slowest may be slow for as long as it lives: its own connection notices when it stands
  // still.
  auto next = Clock::now() + options_.interval();
  while (!ended_ && TooFarAhead(worker)) RECKON_TRY(Wait(next, waiting, lock));
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

// Ends the run when a worker that the step waits for has said nothing since `since` and for longer
// than the patience: one that validates says that it is alive.
void StepGate::GiveUpTheSilent(Clock::time_point since) {
  if (ended_) return;
  std::vector<std::string> silent;
  for (size_t i = 0; i < workers_.size(); ++i) {
    const Worker& worker = workers_[i];
    if (worker.arrived || worker.presence == Presence::kLeft) continue;
    if (Clock::now() - std::max(since, worker.heard) < options_.patience) continue;
    silent.push_back(fmt::format("worker {}{}", i,
                                 worker.presence == Presence::kExpected ? " (it never came)" : ""));
  }
  if (silent.empty()) return;
  ended_ = Error(ErrorCode::kFailed,
                 fmt::format("no gradients of {} for step {} after {} s", fmt::join(silent, ", "),
                             round_ + 1, static_cast<double>(options_.patience.count()) / 1000));
  changed_.notify_all();
}

void StepGate::End(Error why) {
  const std::lock_guard lock(mutex_);
  if (!ended_) ended_ = std::move(why);
  changed_.notify_all();
}

std::optional<StepGate::Clock::time_point> StepGate::over_at(std::chrono::milliseconds late) const {
  const std::lock_guard lock(mutex_);
  bool left = false;
  bool expected = false;
  Clock::time_point last{};
  Clock::time_point over{};
  for (const Worker& worker : workers_) {
    if (worker.presence == Presence::kHere) return std::nullopt;
    left |= worker.presence == Presence::kLeft;
    expected |= worker.presence == Presence::kExpected;
    const bool lost = worker.presence == Presence::kLost;
    last = std::max(last, worker.since);
    over = std::max(over, lost ? worker.since + options_.patience : worker.since);
  }
  if (!expected) return over;
  if (!left || options_.mode == StepMode::kSync) return std::nullopt;
  return std::max(over, last + late);
}

std::optional<Error> StepGate::ended() const {
  const std::lock_guard lock(mutex_);
  return ended_;
}

}  // namespace reckon::train
