// Time is passed in, never taken from the air, so that tests decide what time it is.
#pragma once

#include <chrono>
#include <string>

namespace reckon::base {

using WallTime = std::chrono::sys_time<std::chrono::microseconds>;
using MonotonicTime = std::chrono::steady_clock::time_point;

// Thread-safe in every implementation.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual WallTime Now() const = 0;
  // Never goes back; for durations only.
  virtual MonotonicTime Monotonic() const = 0;
};

class SystemClock final : public Clock {
 public:
  WallTime Now() const override;
  MonotonicTime Monotonic() const override;
};

// UTC with microseconds, "2026-01-31T08:05:00.000000Z": sorts as text in the order of time.
std::string FormatTime(WallTime time);

}  // namespace reckon::base
