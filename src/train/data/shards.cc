#include "train/data/shards.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "base/check.h"
#include "base/rng.h"

namespace reckon::train {

namespace {

base::Error BadBatch(std::string message) {
  return base::BadInput(std::move(message)).About("trainer.batch");
}
base::Error BadShards(std::string message) {
  return base::BadInput(std::move(message)).About("trainer.shards");
}

base::Status CheckCounts(size_t rows, size_t workers, std::span<const size_t> sizes,
                         std::span<const size_t> batches) {
  RECKON_CHECK(rows <= std::numeric_limits<uint32_t>::max());
  if (workers == 0) return base::BadInput("no workers; expected at least one");
  if (!sizes.empty() && sizes.size() != workers) {
    return BadShards(
        fmt::format("{} shard sizes for {} workers; expected one a worker", sizes.size(), workers));
  }
  if (batches.size() != 1 && batches.size() != workers) {
    return BadBatch(fmt::format("{} batch sizes for {} workers; expected one, or one a worker",
                                batches.size(), workers));
  }
  return {};
}

// One shard a worker, after each other.
base::Result<std::vector<Shard>> MakeShards(size_t rows, std::span<const size_t> sizes,
                                            std::span<const size_t> batches) {
  const size_t total = std::accumulate(sizes.begin(), sizes.end(), size_t{0});
  if (total != rows) {
    return BadShards(fmt::format("shard sizes add up to {}; the data has {} rows", total, rows));
  }
  std::vector<Shard> shards;
  size_t begin = 0;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const Shard shard{begin, sizes[i], batches.size() == 1 ? batches[0] : batches[i]};
    if (shard.size == 0) return BadShards(fmt::format("the shard of worker {} is empty", i));
    if (shard.batch == 0 || shard.batch > shard.size) {
      return BadBatch(fmt::format("batch {} of worker {}; expected 1..{}, the size of its shard",
                                  shard.batch, i, shard.size));
    }
    begin += shard.size;
    shards.push_back(shard);
  }
  return shards;
}

}  // namespace

base::Result<Dealing> Dealing::Make(size_t rows, size_t workers, std::span<const size_t> sizes,
                                    std::span<const size_t> batches) {
  Dealing dealing;
  dealing.rows_ = rows;
  dealing.dealt_ = sizes.empty();
  RECKON_TRY(CheckCounts(rows, workers, sizes, batches));
  if (!dealing.dealt_) {
    RECKON_ASSIGN(dealing.shards_, MakeShards(rows, sizes, batches));
    return dealing;
  }
  for (size_t i = 0; i < workers; ++i) {
    const size_t batch = batches.size() == 1 ? batches[0] : batches[i];
    if (batch == 0 || batch > rows) {
      return BadBatch(fmt::format("batch {} of worker {}; expected 1..{}, the size of the data",
                                  batch, i, rows));
    }
    dealing.shards_.push_back({dealing.rows_a_step_, 0, batch});
    dealing.rows_a_step_ += batch;
  }
  if (dealing.rows_a_step_ > rows) {
    return BadBatch(
        fmt::format("the batches of {} workers add up to {}, more than the {} images of the data",
                    workers, dealing.rows_a_step_, rows));
  }
  for (size_t i = 0; i < workers; ++i) {
    dealing.shards_[i].size = rows / dealing.rows_a_step_ * dealing.shards_[i].batch +
                              dealing.At(i, rows / dealing.rows_a_step_);
  }
  return dealing;
}

size_t Dealing::steps() const {
  if (dealt_) return (rows_ + rows_a_step_ - 1) / rows_a_step_;
  size_t most = 0;
  for (const Shard& shard : shards_) most = std::max(most, shard.steps());
  return most;
}

size_t Dealing::Size(size_t worker) const { return shards_[worker].size; }

std::pair<size_t, size_t> Dealing::Dealt(size_t worker, size_t step) const {
  const Shard& shard = shards_[worker];
  const size_t first = std::min(step * rows_a_step_, rows_);
  const size_t here = std::min(rows_a_step_, rows_ - first);
  return {first + here * shard.begin / rows_a_step_,
          first + here * (shard.begin + shard.batch) / rows_a_step_};
}

size_t Dealing::At(size_t worker, size_t step) const {
  if (dealt_) {
    const auto [begin, end] = Dealt(worker, step);
    return end - begin;
  }
  const Shard& shard = shards_[worker];
  const size_t begin = step * shard.batch;
  return begin >= shard.size ? 0 : std::min(shard.batch, shard.size - begin);
}

size_t Dealing::StepAfter(size_t worker, size_t batches) const {
  size_t own = 0;  // steps of an epoch with rows for this worker: the first ones
  while (own < steps() && At(worker, own) > 0) ++own;
  return own == 0 ? 0 : batches / own * steps() + batches % own;
}

size_t Dealing::TotalAt(size_t step) const {
  size_t total = 0;
  for (size_t worker = 0; worker < workers(); ++worker) total += At(worker, step);
  return total;
}

std::vector<uint32_t> Dealing::Order(size_t worker, size_t epoch, uint64_t seed,
                                     bool shuffle) const {
  const Shard& shard = shards_[worker];
  std::vector<uint32_t> order(dealt_ ? rows_ : shard.size);
  std::iota(order.begin(), order.end(), static_cast<uint32_t>(dealt_ ? 0 : shard.begin));
  if (shuffle) {
    base::Rng rng = base::Rng(seed).Fork(epoch).Fork(dealt_ ? 0 : shard.begin);
    rng.Shuffle(std::span(order));
  }
  if (!dealt_) return order;
  std::vector<uint32_t> own;
  own.reserve(shard.size);
  for (size_t step = 0; step < steps(); ++step) {
    const auto [begin, end] = Dealt(worker, step);
    own.insert(own.end(), order.begin() + static_cast<ptrdiff_t>(begin),
               order.begin() + static_cast<ptrdiff_t>(end));
  }
  return own;
}

}  // namespace reckon::train
