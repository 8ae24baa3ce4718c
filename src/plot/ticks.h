// Where to mark an axis so that a reader can count with it.
#pragma once

#include <vector>

namespace reckon::plot {

// kCover: the first mark is at or below `lower` and the last at or above `upper`.
// kInside: all marks are within [lower, upper].
enum class TickFit { kCover, kInside };

// Multiples of 1, 2 or 5 times a power of ten, 3 to 10 of them, none closer together than
// `min_step` (with which there may be fewer). Needs lower < upper, numbers within +-1e300, and a
// range that is not below 1e-8 of the larger end, where doubles begin to run out.
std::vector<double> LinearTicks(double lower, double upper, TickFit fit, double min_step = 0);

// For a logarithmic axis, inside [lower, upper], 0 < lower < upper: decades, every second decade
// and so on for wide ranges; 1, 2 and 5 of each decade for narrow ones; linear steps when even
// those are fewer than three.
std::vector<double> LogTicks(double lower, double upper);

// Powers of two inside [lower, upper], or of 4, 8, ... when there are more than ten.
std::vector<double> PowerOfTwoTicks(double lower, double upper);

bool IsPowerOfTwo(double value);

}  // namespace reckon::plot
