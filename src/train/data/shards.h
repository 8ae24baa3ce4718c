// Who trains on which images, and in which order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace reckon::train {

// A worker's part of a data set of `images * replication` rows: rows [begin, begin + size). Row r
// is image r % images.
struct Shard {
  size_t begin = 0;
  size_t size = 0;
  size_t batch = 0;  // rows a step; the last step of an epoch may have fewer

  size_t steps() const { return (size + batch - 1) / batch; }
};

// One shard a worker, after each other. `sizes` may be empty: as even as can be, the first ones
// larger by one. `batches` has one value for all, or one a worker. kBadInput: sizes that do not add
// up to `rows`, an empty shard, more workers than rows, a batch that is 0 or larger than its shard.
base::Result<std::vector<Shard>> MakeShards(size_t rows, size_t workers,
                                            std::span<const size_t> sizes,
                                            std::span<const size_t> batches);

// The rows of one epoch in the order they are trained on: shuffled by seed, epoch and shard, the
// same on any machine; as they are when `shuffle` is false.
std::vector<uint32_t> EpochOrder(const Shard& shard, uint64_t seed, size_t epoch, bool shuffle);

}  // namespace reckon::train
