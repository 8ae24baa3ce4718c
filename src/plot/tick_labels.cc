#include "plot/tick_labels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <string_view>
#include <utility>

#include <fmt/format.h>

namespace reckon::plot {
namespace {

constexpr double kPlainFrom = 1e-3;   // smaller numbers are written with a power of ten
constexpr double kPlainBelow = 1e7;   // and so are these
constexpr double kGroupFrom = 10000;  // "10,000" but "5000"

std::string Superscript(int number) {
  constexpr std::array<std::string_view, 10> kDigits{"⁰", "¹", "²", "³", "⁴",
                                                     "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text;
  for (const char c : fmt::format("{}", number)) {
    text += c == '-' ? std::string_view("⁻") : kDigits[static_cast<size_t>(c - '0')];
  }
  return text;
}

std::string WithMinus(std::string number) {
  if (number.front() == '-') number.replace(0, 1, "−");
  return number;
}

// Commas between groups of three digits of the whole part of a fixed-point number.
std::string Grouped(std::string number) {
  const size_t first = number.front() == '-' ? 1 : 0;
  size_t at = std::min(number.find('.'), number.size());
  while (at > first + 3) {
    at -= 3;
    number.insert(at, 1, ',');
  }
  return number;
}

int Magnitude(double value) {
  // Rounding must not make 1000 a three-digit number.
  return static_cast<int>(std::floor(std::log10(std::fabs(value)) + 1e-9));
}

double SmallestGap(const std::vector<double>& ticks) {
  double gap = std::numeric_limits<double>::infinity();
  for (size_t i = 1; i < ticks.size(); ++i) gap = std::min(gap, ticks[i] - ticks[i - 1]);
  return gap;
}

double LargestSize(const std::vector<double>& ticks) {
  double size = 0;
  for (const double tick : ticks) size = std::max(size, std::fabs(tick));
  return size;
}

bool ArePlain(const std::vector<double>& ticks) {
  return std::all_of(ticks.begin(), ticks.end(),
                     [](double tick) { return tick >= kPlainFrom && tick < kPlainBelow; });
}

std::string PlainLabel(double tick, bool grouped) {
  std::string number = fmt::format("{:.10g}", tick);
  return grouped ? Grouped(std::move(number)) : number;
}

}  // namespace

std::vector<std::string> LinearTickLabels(const std::vector<double>& ticks) {
  const double largest = LargestSize(ticks);
  const double gap = ticks.size() > 1 ? SmallestGap(ticks) : largest;
  const bool plain = largest == 0 || (largest >= kPlainFrom && largest < kPlainBelow);
  const int exponent = plain ? 0 : Magnitude(largest);
  const int decimals = gap > 0 ? std::max(0, exponent - Magnitude(gap)) : 0;
  std::vector<std::string> labels;
  for (const double tick : ticks) {
    if (tick == 0) {
      labels.emplace_back(plain && decimals > 0 ? fmt::format("{:.{}f}", 0.0, decimals) : "0");
    } else if (plain) {
      std::string number = fmt::format("{:.{}f}", tick, decimals);
      labels.push_back(WithMinus(largest >= kGroupFrom ? Grouped(std::move(number)) : number));
    } else {
      labels.push_back(WithMinus(fmt::format("{:.{}f}×10{}", tick / std::pow(10.0, exponent),
                                             decimals, Superscript(exponent))));
    }
  }
  return labels;
}

std::vector<std::string> LogTickLabels(const std::vector<double>& ticks) {
  const bool plain = ArePlain(ticks);
  const bool grouped = LargestSize(ticks) >= kGroupFrom;
  std::vector<std::string> labels;
  for (const double tick : ticks) {
    if (plain) {
      labels.push_back(PlainLabel(tick, grouped));
      continue;
    }
    const int exponent = Magnitude(tick);
    const std::string mantissa = fmt::format("{:.4g}", tick / std::pow(10.0, exponent));
    const std::string power = "10" + Superscript(exponent);
    labels.push_back(mantissa == "1" ? power : fmt::format("{}×{}", mantissa, power));
  }
  return labels;
}

std::vector<std::string> PowerOfTwoTickLabels(const std::vector<double>& ticks) {
  const bool plain = ArePlain(ticks);
  const bool grouped = LargestSize(ticks) >= kGroupFrom;
  std::vector<std::string> labels;
  labels.reserve(ticks.size());
  for (const double tick : ticks) {
    labels.push_back(plain ? PlainLabel(tick, grouped) : "2" + Superscript(std::ilogb(tick)));
  }
  return labels;
}

}  // namespace reckon::plot
