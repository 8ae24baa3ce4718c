// A stop_token looked at now and then.
#pragma once

#include <cstddef>
#include <stop_token>

#include "base/result.h"

namespace reckon::tables {

// Cheap enough to be asked about every line. The token must outlive it. Not thread-safe.
class StopPoll {
 public:
  explicit StopPoll(const std::stop_token& stop) : stop_(stop) {}

  // kInterrupted when a stop was requested.
  base::Status Check() {
    constexpr size_t kPeriod = 1024;
    if (count_++ % kPeriod == 0 && stop_.stop_requested()) {
      return base::Error(base::ErrorCode::kInterrupted, "interrupted");
    }
    return {};
  }

 private:
  const std::stop_token& stop_;
  size_t count_ = 0;
};

}  // namespace reckon::tables
