// How much memory a training needs, told before it starts.
#pragma once

#include <cstdint>

#include "core/job.h"
#include "train/nets/network.h"

namespace reckon::train {

// Images that a worker validates on at once.
inline constexpr size_t kValidationBatch = 256;

struct MemoryNeed {
  size_t images = 0;
  size_t validation_images = 0;
  size_t rows = 0;   // of an epoch: the images, so many times over
  size_t batch = 0;  // the largest one of a worker
  size_t workers = 1;
};

// Of a worker, its libraries and all images: within a factor of two of what is measured
// (tests/train/memory_test.cc). No more than 64 TiB, so that sums over workers do not wrap.
uint64_t WorkerMemory(const core::TrainerJob& job, const Network& network, const ImageShape& image,
                      const MemoryNeed& need);
// Of all parameter servers together, but for the little that an empty one takes; 0 without.
uint64_t ServersMemory(const core::TrainerJob& job, const Network& network, const MemoryNeed& need);

}  // namespace reckon::train
