#include "base/clock.h"

#include <ctime>

#include <fmt/chrono.h>

namespace reckon::base {

WallTime SystemClock::Now() const {
  return std::chrono::time_point_cast<std::chrono::microseconds>(std::chrono::system_clock::now());
}

MonotonicTime SystemClock::Monotonic() const { return std::chrono::steady_clock::now(); }

std::string FormatTime(WallTime time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  const auto micros = (time - seconds).count();
  // Not system_clock::to_time_t: its nanoseconds overflow before 1677 and after 2262.
  const auto unix_time = static_cast<std::time_t>(seconds.time_since_epoch().count());
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:06d}Z", fmt::gmtime(unix_time), micros);
}

}  // namespace reckon::base
