// How quickly this machine reads memory just now. Other virtual machines on the same processor use
// its caches and its memory too, and no counter in here tells: training is slower then by tens of
// per cent, while arithmetic alone is as quick as ever.
#pragma once

#include <vector>

namespace reckon::observe {

// Not thread-safe.
class MemoryPace {
 public:
  MemoryPace();

  // Microseconds to read one byte of every cache line of 4 MiB: the median of some readings, a few
  // milliseconds in all. What else this machine does meanwhile slows it down too.
  double MeasureUs();

 private:
  double ReadOnceUs();

  std::vector<unsigned char> memory_;
};

}  // namespace reckon::observe
