// When the cycles of a periodic task begin.
#pragma once

#include <cmath>
#include <cstdint>

namespace sift {

// Cycle i is due at i periods, so that nothing drifts. A cycle that takes longer than its period
// uses up the next ones, which are skipped.
class Schedule {
 public:
  explicit Schedule(double period_s) : period_s_(period_s) {}

  int64_t cycle() const { return cycle_; }
  double due_s() const { return static_cast<double>(cycle_) * period_s_; }
  // The current cycle ended at `now_s`: goes on to the first that is not due yet. Returns how many
  // were skipped.
  int64_t Next(double now_s) {
    const int64_t next = cycle_ + 1;
    cycle_ = std::max(next, static_cast<int64_t>(std::ceil(now_s / period_s_)));
    return cycle_ - next;
  }

 private:
  const double period_s_;
  int64_t cycle_ = 0;
};

}  // namespace sift
