// Who trains on which images, and in which order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
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

// The rows that every worker trains on in every step of every epoch. Plain values.
//
// With sizes of shards every worker keeps to its own shard. Without, every epoch orders all rows
// anew and deals them out step by step, so that the workers together see in a step what one worker
// with their batches' sum would see. The rows that the last step of an epoch has are shared out by
// the workers' batches, so that nobody waits for one with a whole batch.
class Dealing {
 public:
  // `sizes` of the shards, or nothing; `batches` has one value for all, or one a worker. kBadInput:
  // sizes that do not add up to `rows`, an empty shard, a batch that is 0 or larger than its shard,
  // without sizes batches that are together more than `rows`. `rows` fits into 32 bits.
  static base::Result<Dealing> Make(size_t rows, size_t workers, std::span<const size_t> sizes,
                                    std::span<const size_t> batches);

  size_t workers() const { return shards_.size(); }
  size_t rows() const { return rows_; }
  // The first row of a worker's own shard; 0 when all rows are dealt out.
  size_t Begin(size_t worker) const { return dealt_ ? 0 : shards_[worker].begin; }
  // Of an epoch, until the last worker has run out of rows.
  size_t steps() const;
  size_t Batch(size_t worker) const { return shards_[worker].batch; }
  // Rows of this worker an epoch.
  size_t Size(size_t worker) const;
  // Rows of this worker in a step; 0 when it has run out.
  size_t At(size_t worker, size_t step) const;
  size_t TotalAt(size_t step) const;
  // The step, counted over epochs, that a worker is at once it has trained on so many batches: it
  // has none in the steps of an epoch after it ran out of rows.
  size_t StepAfter(size_t worker, size_t batches) const;

  // A worker's rows of one epoch in the order they are trained on: shuffled by seed and epoch (and
  // shard), the same on any machine; as they are when `shuffle` is false.
  std::vector<uint32_t> Order(size_t worker, size_t epoch, uint64_t seed, bool shuffle) const;

 private:
  size_t rows_ = 0;
  bool dealt_ = false;
  // Dealt: where the worker's rows of a step begin and end, among those of the whole epoch.
  std::pair<size_t, size_t> Dealt(size_t worker, size_t step) const;

  size_t rows_a_step_ = 0;     // dealt: of all workers
  std::vector<Shard> shards_;  // dealt: `begin` is the worker's place in a step
};

}  // namespace reckon::train
