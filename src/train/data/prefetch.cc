#include "train/data/prefetch.h"

#include <algorithm>
#include <new>

#include <fmt/format.h>

#include "base/check.h"

namespace reckon::train {

Prefetcher::Prefetcher(const ImageSet& images, std::vector<uint32_t> order, size_t batch,
                       size_t ahead)
    : images_(images), order_(std::move(order)), batch_(batch), ahead_(ahead) {
  RECKON_CHECK(batch > 0 && ahead > 0 && images.size() > 0);
  producer_ = std::jthread([this](const std::stop_token& stop) { Produce(stop); });
}

// Nobody could catch what leaves this thread.
void Prefetcher::Produce(const std::stop_token& stop) {
  bool no_memory = false;
  try {
    ProduceAll(stop);
  } catch (const std::bad_alloc&) {
    no_memory = true;
  }
  const std::lock_guard lock(mutex_);
  no_memory_ = no_memory;
  done_ = true;
  changed_.notify_all();
}

void Prefetcher::ProduceAll(const std::stop_token& stop) {
  for (size_t begin = 0; begin < order_.size(); begin += batch_) {
    Batch batch = Make(begin);
    std::unique_lock lock(mutex_);
    if (!changed_.wait(lock, stop, [this] { return ready_.size() < ahead_; })) return;
    ready_.push(std::move(batch));
    changed_.notify_all();
  }
}

void AppendPixels(std::span<const uint8_t> pixels, std::vector<float>& to) {
  const size_t before = to.size();
  to.resize(before + pixels.size());
  float* out = to.data() + before;
  for (const uint8_t pixel : pixels) *out++ = static_cast<float>(pixel) * (2.0F / 255) - 1;
}

Batch Prefetcher::Make(size_t begin) const {
  const size_t count = std::min(batch_, order_.size() - begin);
  Batch batch;
  batch.pixels.reserve(count * images_.shape.pixels());
  batch.labels.resize(count);
  for (size_t i = 0; i < count; ++i) {
    const size_t image = order_[begin + i] % images_.size();
    AppendPixels(images_.Image(image), batch.pixels);
    batch.labels[i] = images_.labels[image];
  }
  return batch;
}

base::Result<std::optional<Batch>> Prefetcher::Next() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return !ready_.empty() || done_; });
  std::optional<Batch> batch;
  if (ready_.empty()) {
    if (!no_memory_) return batch;
    return base::Error(base::ErrorCode::kFailed,
                       fmt::format("out of memory: a batch of {} images", batch_));
  }
  batch = std::move(ready_.front());
  ready_.pop();
  changed_.notify_all();
  return batch;
}

}  // namespace reckon::train
