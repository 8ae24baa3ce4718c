// How quickly this machine's processors compute just now. A virtual processor is often one of two
// threads of a real core; when another virtual machine keeps the other one busy, arithmetic takes
// up to twice as long, and no counter in here tells: neither steal nor what processes use.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace reckon::observe {

// Computes for some 20 us on every processor forty times a second, a thread each (of very many
// processors on some): a tenth of a percent of them. Measured is CPU time of the thread, so that
// what else runs here does not count. Thread-safe.
class CorePace {
 public:
  CorePace();
  ~CorePace();
  CorePace(const CorePace&) = delete;
  CorePace& operator=(const CorePace&) = delete;

  // Microseconds of a burst, mean over all processors from `from` to `to` (seconds since 1970,
  // whole seconds that it touches); nullopt: there was none.
  std::optional<double> MeanUs(double from, double to) const;

 private:
  // Sums of one second.
  struct Second {
    double us = 0;
    uint32_t bursts = 0;
  };

  void Measure(int processor, const std::stop_token& stop);
  void Add(double us);

  mutable std::mutex mutex_;
  int64_t first_ = 0;  // second since 1970 of the first entry
  std::vector<Second> seconds_;
  double fastest_us_ = std::numeric_limits<double>::infinity();  // burst so far
  std::vector<std::jthread> threads_;  // the last: they use all of the above
};

}  // namespace reckon::observe
