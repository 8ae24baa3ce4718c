#include "plot/ticks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "base/check.h"

namespace reckon::plot {
namespace {

constexpr size_t kMaxTicks = 8;
constexpr size_t kMaxLogTicks = 10;
constexpr std::array kMantissas{1, 2, 5};
// Share of a step by which rounding may push a number off its mark.
constexpr double kSlack = 1e-6;

// mantissa * 10^exponent, kept in parts so that 3 steps of 0.1 are 0.3 and not 0.30000000000000004.
struct Step {
  int mantissa = 1;
  int exponent = 0;

  double Times(double count) const {
    const double whole = count * mantissa;
    return exponent < 0 ? whole / std::pow(10.0, -exponent) : whole * std::pow(10.0, exponent);
  }
  Step Next() const {
    if (mantissa == 5) return {1, exponent + 1};
    return {mantissa == 1 ? 2 : 5, exponent};
  }
};

std::vector<double> Multiples(const Step& step, double lower, double upper, TickFit fit) {
  const double size = step.Times(1);
  const bool cover = fit == TickFit::kCover;
  const double first = cover ? std::floor(lower / size + kSlack) : std::ceil(lower / size - kSlack);
  const double last = cover ? std::ceil(upper / size - kSlack) : std::floor(upper / size + kSlack);
  // One more than wanted is enough to know that the step is too small.
  std::vector<double> ticks;
  for (double k = first; k <= last && ticks.size() <= kMaxTicks; ++k) {
    ticks.push_back(k == 0 ? 0.0 : step.Times(k));
  }
  return ticks;
}

// 10^(stride k) inside the range.
std::vector<double> Decades(double lower, double upper, int stride) {
  const auto first = static_cast<int>(std::ceil(std::log10(lower) / stride - kSlack));
  const auto last = static_cast<int>(std::floor(std::log10(upper) / stride + kSlack));
  std::vector<double> ticks;
  for (int k = first; k <= last; ++k) ticks.push_back(Step{1, k * stride}.Times(1));
  return ticks;
}

std::vector<double> OneTwoFive(double lower, double upper) {
  std::vector<double> ticks;
  const auto last = static_cast<int>(std::floor(std::log10(upper)));
  for (int e = static_cast<int>(std::floor(std::log10(lower))); e <= last; ++e) {
    for (const int mantissa : kMantissas) {
      const double tick = Step{mantissa, e}.Times(1);
      if (tick >= lower * (1 - kSlack) && tick <= upper * (1 + kSlack)) ticks.push_back(tick);
    }
  }
  return ticks;
}

}  // namespace

std::vector<double> LinearTicks(double lower, double upper, TickFit fit, double min_step) {
  RECKON_CHECK(lower < upper);
  Step step{1, static_cast<int>(std::floor(std::log10((upper - lower) / kMaxTicks)))};
  while (step.Times(1) < min_step) step = step.Next();
  for (;;) {
    std::vector<double> ticks = Multiples(step, lower, upper, fit);
    if (ticks.size() <= kMaxTicks) return ticks;
    step = step.Next();
  }
}

std::vector<double> LogTicks(double lower, double upper) {
  RECKON_CHECK(0 < lower && lower < upper);
  const double decades = std::log10(upper) - std::log10(lower);
  // 1-2-5 has three marks a decade; beyond four decades they are too many anyway.
  if (decades <= 4) {
    std::vector<double> ticks = OneTwoFive(lower, upper);
    if (ticks.size() < 3) return LinearTicks(lower, upper, TickFit::kInside);
    if (ticks.size() <= kMaxLogTicks) return ticks;
  }
  for (int stride = 1;; ++stride) {
    std::vector<double> ticks = Decades(lower, upper, stride);
    if (ticks.size() <= kMaxLogTicks) return ticks;
  }
}

std::vector<double> PowerOfTwoTicks(double lower, double upper) {
  RECKON_CHECK(0 < lower && lower < upper);
  for (int stride = 1;; ++stride) {
    const auto first = static_cast<int>(std::ceil(std::log2(lower) / stride - kSlack));
    const auto last = static_cast<int>(std::floor(std::log2(upper) / stride + kSlack));
    if (last - first + 1 > static_cast<int>(kMaxLogTicks)) continue;
    std::vector<double> ticks;
    for (int k = first; k <= last; ++k) ticks.push_back(std::ldexp(1.0, k * stride));
    return ticks;
  }
}

bool IsPowerOfTwo(double value) {
  int exponent = 0;
  return std::isfinite(value) && value > 0 && std::frexp(value, &exponent) == 0.5;
}

}  // namespace reckon::plot
