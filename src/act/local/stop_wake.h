// A stop token that poll understands.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>

#include <sys/eventfd.h>
#include <unistd.h>

namespace reckon::act {

// Readable once the stop token is requested.
class StopWake {
 public:
  explicit StopWake(const std::stop_token& stop)
      : descriptor_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    callback_.emplace(stop, [this] {
      const uint64_t one = 1;
      (void)!write(descriptor_, &one, sizeof one);
    });
  }
  ~StopWake() {
    callback_.reset();  // waits for one that is being called
    if (descriptor_ >= 0) close(descriptor_);
  }
  StopWake(const StopWake&) = delete;
  StopWake& operator=(const StopWake&) = delete;
  int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
  std::optional<std::stop_callback<std::function<void()>>> callback_;
};

}  // namespace reckon::act
