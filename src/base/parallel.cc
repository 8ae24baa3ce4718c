#include "base/parallel.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace reckon::base {

Status ParallelFor(size_t count, size_t jobs, const std::stop_token& stop,
                   const std::function<Status(size_t)>& work) {
  RECKON_CHECK(jobs >= 1);
  std::atomic<size_t> next{0};
  std::atomic<bool> failed{false};
  std::mutex mutex;  // guards first_failure and error
  size_t first_failure = count;
  std::optional<Error> error;

  const auto loop = [&] {
    while (!failed.load(std::memory_order_relaxed) && !stop.stop_requested()) {
      const size_t i = next.fetch_add(1, std::memory_order_relaxed);
      if (i >= count) return;
      Status status = work(i);
      if (status.ok()) continue;
      const std::lock_guard lock(mutex);
      failed = true;
      if (i < first_failure) {
        first_failure = i;
        error = std::move(status).error();
      }
    }
  };

  {
    std::vector<std::jthread> threads;
    for (size_t t = 1; t < std::min(jobs, count); ++t) threads.emplace_back(loop);
    loop();
  }
  if (error) return *std::move(error);
  if (next.load() < count) return Error(ErrorCode::kInterrupted, "interrupted");
  return {};
}

}  // namespace reckon::base
