// The parameters that a server keeps, and the ways workers change them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <span>
#include <vector>

#include "base/result.h"
#include "train/optimiser.h"

namespace reckon::train {

// All members may be called from any thread. Parameters are locked chunk by chunk: a gradient is
// applied while the next part of it is still on its way, and two workers only wait for each other
// where they touch the same chunk. A reader may therefore see one chunk before and another one
// after somebody else's step, as with several servers.
class ParameterTable {
 public:
  static constexpr size_t kChunk = 1 << 16;  // floats: a quarter of a megabyte, fits in a cache

  ParameterTable(const OptimiserOptions& options, size_t size);

  size_t size() const { return parameters_.size(); }
  size_t chunks() const { return (size() + kChunk - 1) / kChunk; }
  size_t ChunkSize(size_t chunk) const { return std::min(kChunk, size() - chunk * kChunk); }

  bool initialised() const;
  // The first call decides; later ones change nothing.
  void Initialise(std::span<const float> values);

  uint64_t steps() const;
  uint64_t BeginStep();
  // `gradient` has ChunkSize(chunk) values.
  void Apply(uint64_t step, size_t chunk, std::span<const float> gradient);
  void Copy(size_t chunk, std::span<float> out) const;

  // Everything at one moment between two chunks' changes; a checkpoint.
  struct Snapshot {
    std::vector<float> parameters;
    Optimiser::State optimiser;
    std::vector<uint64_t> pushed;  // gradients of each worker; the server's to know
  };
  Snapshot Take() const;
  // kCorrupt when it does not fit.
  base::Status Restore(Snapshot snapshot);

 private:
  mutable std::mutex mutex_;  // guards initialised_ and the optimiser's count of steps
  bool initialised_ = false;
  mutable std::vector<std::mutex> chunk_mutexes_;  // guard the chunk of the next two
  std::vector<float> parameters_;
  Optimiser optimiser_;
};

}  // namespace reckon::train
