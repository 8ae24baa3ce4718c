// Mean and 95th percentile of a quantity over a time that nobody knows the length of.
#pragma once

#include <cstddef>
#include <vector>

namespace reckon::observe {

// Keeps so many values at most: then each two become their mean, so that a long time is known in
// less detail. Not thread-safe.
class SpreadMeter {
 public:
  static constexpr size_t kMostValues = 4'096;

  // `seconds` > 0: for how long it was so.
  void Add(double value, double seconds);

  double Mean() const;  // 0 before anything was added
  double P95() const;   // for 95 % of the time it was not more

 private:
  struct Part {
    double value = 0;
    double seconds = 0;
  };
  void Halve();

  std::vector<Part> parts_;
};

}  // namespace reckon::observe
