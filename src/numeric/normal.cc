#include "numeric/normal.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace reckon::numeric {

double NormalDensity(double z) { return std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi); }

double NormalBelow(double z) { return std::erfc(-z / std::numbers::sqrt2) / 2; }

double NormalQuantile(double p) {
  constexpr double kLow = 0.02425;
  const auto tail = [](double q) {
    return (((((-7.784894002430293e-03 * q - 3.223964580411365e-01) * q - 2.400758277161838) * q -
              2.549732539343734) *
                 q +
             4.374664141464968) *
                q +
            2.938163982698783) /
           ((((7.784695709041462e-03 * q + 3.224671290700398e-01) * q + 2.445134137142996) * q +
             3.754408661907416) *
                q +
            1);
  };
  double z = 0;
  if (p < kLow) {
    z = tail(std::sqrt(-2 * std::log(p)));
  } else if (p > 1 - kLow) {
    z = -tail(std::sqrt(-2 * std::log1p(-p)));
  } else {
    const double q = p - 0.5;
    const double r = q * q;
    z = (((((-3.969683028665376e+01 * r + 2.209460984245205e+02) * r - 2.759285104469687e+02) * r +
           1.383577518672690e+02) *
              r -
          3.066479806614716e+01) *
             r +
         2.506628277459239) *
        q /
        (((((-5.447609879822406e+01 * r + 1.615858368580409e+02) * r - 1.556989798598866e+02) * r +
           6.680131188771972e+01) *
              r -
          1.328068155288572e+01) *
             r +
         1);
  }
  const double error = NormalBelow(z) - p;
  const double step = error / NormalDensity(z);
  return z - step / (1 + z * step / 2);
}

UpperTail NormalUpperTail(double z) {
  // Far out both parts of the ratio vanish; its asymptote (Abramowitz and Stegun, 26.2.12) does
  // not.
  constexpr double kFar = 30;
  const double mean = z > kFar ? z + 1 / z - 2 / (z * z * z) : NormalDensity(z) / NormalBelow(-z);
  return {mean, std::clamp(1 + z * mean - mean * mean, 0.0, 1.0)};
}

}  // namespace reckon::numeric
