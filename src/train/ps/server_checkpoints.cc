// The part of the parameter server that writes checkpoints and goes on from them.
#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/format.h>

#include "train/ps/server.h"

namespace reckon::train {

base::Status ParameterServer::ReadCheckpoints() {
  RECKON_ASSIGN(auto found, ReadLastCheckpoints(options_.checkpoint));
  for (const KeptCheckpoint& one : found) {
    base::Status fits = AdoptSize(one.snapshot.parameters.size());
    if (!fits.ok()) return std::move(fits).error().Wrap(one.file.string());
  }
  const std::lock_guard lock(mutex_);
  if (options_.gate.mode == StepMode::kSync) {
    for (const KeptCheckpoint& one : found) offered_.push_back(one.snapshot.optimiser.steps);
    offers_ = std::move(found);
    return {};
  }
  if (found.empty()) return {};
  ParameterTable::Snapshot& last = found[0].snapshot;
  saved_steps_ = last.optimiser.steps;
  if (last.pushed.size() == pushed_.size()) pushed_ = last.pushed;
  return table_->Restore(std::move(last));
}

base::Status ParameterServer::GoOnFrom(uint64_t step) {
  const std::lock_guard lock(mutex_);
  if (!resumed_) {
    const auto offer = std::find(offered_.begin(), offered_.end(), step) - offered_.begin();
    if (offer == std::ssize(offered_)) {
      return base::BadInput(fmt::format("there is no checkpoint of step {}", step));
    }
    KeptCheckpoint& chosen = offers_[static_cast<size_t>(offer)];
    RECKON_TRY(GoBackTo(chosen.file, options_.checkpoint));
    RECKON_TRY(table_->Restore(std::move(chosen.snapshot)));
    offers_ = {};
    saved_steps_ = step;
    resumed_ = step;
  }
  if (*resumed_ == step) return {};
  return base::BadInput(fmt::format("step {}; others went on from {}", step, *resumed_));
}

// Nothing when there are no parameters yet.
std::optional<ParameterTable::Snapshot> ParameterServer::TakeSnapshot() const {
  const std::lock_guard lock(mutex_);
  if (table_ == nullptr || !table_->initialised()) return std::nullopt;
  ParameterTable::Snapshot snapshot = table_->Take();
  snapshot.pushed = pushed_;
  return snapshot;
}

base::Status ParameterServer::WriteCheckpoint(const ParameterTable::Snapshot& snapshot) {
  const uint64_t steps = snapshot.optimiser.steps;
  if (options_.gate.mode == StepMode::kSync) {
    if (steps == saved_steps_) return {};  // so that the last but one stays an earlier one
    RECKON_TRY(WriteNextCheckpoint(options_.checkpoint, snapshot));
  } else {
    RECKON_TRY(train::WriteCheckpoint(options_.checkpoint, snapshot));
  }
  saved_steps_ = steps;
  return {};
}

// The run goes on without one that cannot be written; the last one tells whether any could.
void ParameterServer::TryCheckpoint(const ParameterTable::Snapshot& snapshot) {
  const base::Status written = WriteCheckpoint(snapshot);
  if (!written.ok()) log_.Warn("checkpoint: " + written.error().Describe());
}

void ParameterServer::KeepCheckpoints(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    changed_.wait_for(lock, stop, options_.checkpoint_every, [] { return false; });
    if (stop.stop_requested()) return;
    lock.unlock();
    const auto snapshot = TakeSnapshot();
    if (snapshot && snapshot->optimiser.steps != saved_steps_) TryCheckpoint(*snapshot);
    lock.lock();
  }
}

}  // namespace reckon::train
