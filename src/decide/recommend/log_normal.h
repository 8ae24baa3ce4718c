// A quantity above 0 whose logarithm is normal: times and costs, as forecasts tell them.
#pragma once

#include <algorithm>
#include <cmath>

#include "numeric/normal.h"

namespace reckon::decide {

// But for what logarithms and back lose of a number.
inline bool AtMost(double value, double limit) { return value <= limit * (1 + 1e-12); }

struct LogNormal {
  double mean = 0;       // of the logarithm
  double deviation = 0;  // of it; 0: known exactly

  double Median() const { return std::exp(mean); }
  double Expected() const { return std::exp(mean + deviation * deviation / 2); }
  // P(quantity <= limit)
  double Below(double limit) const {
    if (!(limit > 0)) return 0;
    if (deviation <= 0) return AtMost(std::exp(mean), limit) ? 1 : 0;
    return numeric::NormalBelow((std::log(limit) - mean) / deviation);
  }
  // E[max(0, limit - quantity)]
  double ExpectedBelow(double limit) const {
    if (!(limit > 0)) return 0;
    if (deviation <= 0) return std::max(0.0, limit - std::exp(mean));
    const double z = (std::log(limit) - mean) / deviation;
    return limit * numeric::NormalBelow(z) - Expected() * numeric::NormalBelow(z - deviation);
  }
  // The value that it is at most with probability `p`, 0 < p < 1.
  double Quantile(double p) const {
    return std::exp(mean + deviation * numeric::NormalQuantile(p));
  }
  LogNormal Times(double factor) const { return {mean + std::log(factor), deviation}; }
  // Of two that do not depend on each other.
  LogNormal Times(const LogNormal& other) const {
    return {mean + other.mean, std::hypot(deviation, other.deviation)};
  }
};

}  // namespace reckon::decide
