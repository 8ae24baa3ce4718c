// Batches made ready by another thread while the last one is trained on.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <queue>
#include <span>
#include <thread>
#include <vector>

#include "base/result.h"
#include "train/data/image_set.h"

namespace reckon::train {

struct Batch {
  std::vector<float> pixels;  // as in ImageSet, mapped from 0..255 to -1..1
  std::vector<int64_t> labels;

  size_t size() const { return labels.size(); }
};

// Pixels as networks take them.
void AppendPixels(std::span<const uint8_t> pixels, std::vector<float>& to);

// The batches of an order of rows (row r is image r % images.size()), `batch` rows each, the last
// one maybe smaller. Up to `ahead` wait ready. `images` outlives it. Next() from one thread only.
class Prefetcher {
 public:
  Prefetcher(const ImageSet& images, std::vector<uint32_t> order, size_t batch, size_t ahead = 2);

  // Waits for the batch; nothing at the end. kFailed: there was no memory for it.
  base::Result<std::optional<Batch>> Next();

 private:
  void Produce(const std::stop_token& stop);
  void ProduceAll(const std::stop_token& stop);
  Batch Make(size_t begin) const;

  const ImageSet& images_;
  const std::vector<uint32_t> order_;
  const size_t batch_;
  const size_t ahead_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable_any changed_;
  std::queue<Batch> ready_;
  bool done_ = false;
  bool no_memory_ = false;
  std::jthread producer_;  // last: joins before the rest goes
};

}  // namespace reckon::train
