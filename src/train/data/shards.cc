#include "train/data/shards.h"

#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "base/rng.h"

namespace reckon::train {

base::Result<std::vector<Shard>> MakeShards(size_t rows, size_t workers,
                                            std::span<const size_t> sizes,
                                            std::span<const size_t> batches) {
  using base::BadInput;
  if (workers == 0) return BadInput("no workers; expected at least one");
  if (rows > std::numeric_limits<uint32_t>::max()) {
    return BadInput(
        fmt::format("{} rows; expected at most {}", rows, std::numeric_limits<uint32_t>::max()));
  }
  if (!sizes.empty() && sizes.size() != workers) {
    return BadInput(fmt::format("{} shard sizes for {} workers", sizes.size(), workers));
  }
  if (batches.size() != 1 && batches.size() != workers) {
    return BadInput(fmt::format("{} batch sizes for {} workers; expected one, or one a worker",
                                batches.size(), workers));
  }
  const size_t total = std::accumulate(sizes.begin(), sizes.end(), size_t{0});
  if (!sizes.empty() && total != rows) {
    return BadInput(fmt::format("shard sizes add up to {}; the data has {} rows", total, rows));
  }
  std::vector<Shard> shards;
  size_t begin = 0;
  for (size_t i = 0; i < workers; ++i) {
    const size_t even = rows / workers + (i < rows % workers ? 1 : 0);
    const Shard shard{begin, sizes.empty() ? even : sizes[i],
                      batches.size() == 1 ? batches[0] : batches[i]};
    if (shard.size == 0) return BadInput(fmt::format("the shard of worker {} is empty", i));
    if (shard.batch == 0 || shard.batch > shard.size) {
      return BadInput(fmt::format("batch {} of worker {}; expected 1..{}, the size of its shard",
                                  shard.batch, i, shard.size));
    }
    begin += shard.size;
    shards.push_back(shard);
  }
  return shards;
}

std::vector<uint32_t> EpochOrder(const Shard& shard, uint64_t seed, size_t epoch, bool shuffle) {
  std::vector<uint32_t> order(shard.size);
  std::iota(order.begin(), order.end(), static_cast<uint32_t>(shard.begin));
  if (shuffle) {
    base::Rng rng = base::Rng(seed).Fork(epoch).Fork(shard.begin);
    rng.Shuffle(std::span(order));
  }
  return order;
}

}  // namespace reckon::train
