#include "serve/work_pool.h"

#include <utility>

namespace reckon::serve {

WorkPool::WorkPool(size_t threads, size_t most_waiting) : most_waiting_(most_waiting) {
  for (size_t i = 0; i < threads; ++i) {
    threads_.emplace_back([this](const std::stop_token& stop) { Serve(stop); });
  }
}

WorkPool::~WorkPool() {
  for (std::jthread& thread : threads_) thread.request_stop();
}

bool WorkPool::Add(std::function<void()> work) {
  const std::scoped_lock lock(mutex_);
  if (waiting_.size() >= most_waiting_) return false;
  waiting_.push_back(std::move(work));
  wake_.notify_one();
  return true;
}

void WorkPool::Serve(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    std::unique_lock lock(mutex_);
    if (!wake_.wait(lock, stop, [this] { return !waiting_.empty(); })) return;
    const std::function<void()> work = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    work();
  }
}

}  // namespace reckon::serve
