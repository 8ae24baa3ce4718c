// The standard normal distribution.
#pragma once

namespace reckon::numeric {

double NormalDensity(double z);
// Probability of at most z.
double NormalBelow(double z);

// The inverse of NormalBelow, 0 < p < 1: to 1e-9 (Acklam's approximation, one step of Halley's).
double NormalQuantile(double p);

// Mean and variance of what lies above z.
struct UpperTail {
  double mean = 0;
  double variance = 0;
};
UpperTail NormalUpperTail(double z);

}  // namespace reckon::numeric
