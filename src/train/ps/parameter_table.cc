#include "train/ps/parameter_table.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/check.h"

namespace reckon::train {

ParameterTable::ParameterTable(const OptimiserOptions& options, size_t size)
    : chunk_mutexes_((size + kChunk - 1) / kChunk), parameters_(size), optimiser_(options, size) {
  RECKON_CHECK(size > 0);
}

bool ParameterTable::initialised() const {
  const std::lock_guard lock(mutex_);
  return initialised_;
}

void ParameterTable::Initialise(std::span<const float> values) {
  RECKON_CHECK(values.size() == size());
  const std::lock_guard lock(mutex_);
  if (initialised_) return;
  for (size_t chunk = 0; chunk < chunks(); ++chunk) {
    const std::lock_guard chunk_lock(chunk_mutexes_[chunk]);
    const auto from = values.subspan(chunk * kChunk, ChunkSize(chunk));
    std::copy(from.begin(), from.end(),
              parameters_.begin() + static_cast<ptrdiff_t>(chunk * kChunk));
  }
  initialised_ = true;
}

uint64_t ParameterTable::steps() const {
  const std::lock_guard lock(mutex_);
  return optimiser_.state().steps;
}

uint64_t ParameterTable::BeginStep() {
  const std::lock_guard lock(mutex_);
  return optimiser_.BeginStep();
}

void ParameterTable::Apply(uint64_t step, size_t chunk, std::span<const float> gradient) {
  const std::lock_guard lock(chunk_mutexes_[chunk]);
  optimiser_.Apply(step, chunk * kChunk, gradient,
                   std::span(parameters_).subspan(chunk * kChunk, ChunkSize(chunk)));
}

void ParameterTable::Copy(size_t chunk, std::span<float> out) const {
  const std::lock_guard lock(chunk_mutexes_[chunk]);
  const auto from = std::span(parameters_).subspan(chunk * kChunk, ChunkSize(chunk));
  std::copy(from.begin(), from.end(), out.begin());
}

ParameterTable::Snapshot ParameterTable::Take() const {
  Snapshot snapshot;
  const std::lock_guard lock(mutex_);
  std::vector<std::unique_lock<std::mutex>> all;
  for (std::mutex& mutex : chunk_mutexes_) all.emplace_back(mutex);
  snapshot.parameters = parameters_;
  snapshot.optimiser = optimiser_.state();
  return snapshot;
}

base::Status ParameterTable::Restore(Snapshot snapshot) {
  if (snapshot.parameters.size() != size()) {
    return base::Corrupt(
        fmt::format("a checkpoint of {} parameters for {}", snapshot.parameters.size(), size()));
  }
  const std::lock_guard lock(mutex_);
  RECKON_TRY(optimiser_.Restore(std::move(snapshot.optimiser)));
  parameters_ = std::move(snapshot.parameters);
  initialised_ = true;
  return {};
}

}  // namespace reckon::train
