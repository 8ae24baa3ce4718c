// Threads for calls that take longer than the server's own thread may be kept.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace reckon::serve {

// Thread-safe. What has begun is waited for at the end; what has not is dropped.
class WorkPool {
 public:
  WorkPool(size_t threads, size_t most_waiting);
  ~WorkPool();
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  // False: too many wait already.
  bool Add(std::function<void()> work);

 private:
  void Serve(const std::stop_token& stop);

  const size_t most_waiting_;
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::deque<std::function<void()>> waiting_;
  std::vector<std::jthread> threads_;  // the last: they use all of the above
};

}  // namespace reckon::serve
