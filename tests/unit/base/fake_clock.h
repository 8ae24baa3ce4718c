// A clock whose time the test decides.
#pragma once

#include <atomic>
#include <chrono>

#include "base/clock.h"

namespace reckon::base {

// Starts at 2026-01-31T08:05:00Z. Thread-safe.
class FakeClock final : public Clock {
 public:
  FakeClock() = default;
  explicit FakeClock(WallTime now) : now_(now.time_since_epoch()) {}

  WallTime Now() const override { return WallTime(now_.load()); }
  MonotonicTime Monotonic() const override { return MonotonicTime(monotonic_.load()); }

  // Both clocks go on.
  void Advance(std::chrono::microseconds by) {
    now_ = now_.load() + by;
    monotonic_ = monotonic_.load() + by;
  }
  // The wall clock jumps, as when somebody sets it; the monotonic one does not.
  void SetNow(WallTime now) { now_ = now.time_since_epoch(); }

 private:
  std::atomic<std::chrono::microseconds> now_{std::chrono::seconds(1769846700)};
  std::atomic<std::chrono::steady_clock::duration> monotonic_{std::chrono::seconds(1000)};
};

}  // namespace reckon::base
