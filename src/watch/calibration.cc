#include "watch/calibration.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "numeric/normal.h"
#include "numeric/stats.h"

namespace reckon::watch {
namespace {

bool IsCovered(const Outcome& outcome) {
  return outcome.actual >= outcome.lower && outcome.actual <= outcome.upper;
}

// By how many of its own deviations the outcome is off. A forecast without a lower end (or with an
// interval of no width) takes the other side's, and at least a thousandth.
double Offset(const Outcome& outcome, double quantile) {
  constexpr double kLeastWidth = 1e-3;
  const double above = std::log(outcome.upper / outcome.predicted);
  const double below = outcome.lower > 0 ? std::log(outcome.predicted / outcome.lower) : above;
  const double off = std::log(outcome.actual / outcome.predicted);
  return off * quantile / std::max(off > 0 ? above : below, kLeastWidth);
}

// P(at most `hits` of `n`) where each is one with probability `share`.
double BinomialTail(size_t hits, size_t n, double share) {
  double tail = 0;
  for (size_t k = 0; k <= hits; ++k) {
    const auto a = static_cast<double>(k);
    const auto b = static_cast<double>(n - k);
    tail += std::exp(std::lgamma(a + b + 1) - std::lgamma(a + 1) - std::lgamma(b + 1) +
                     a * std::log(share) + b * std::log1p(-share));
  }
  return tail;
}

std::string WhyDrifted(std::span<const Outcome> recent, const CalibrationPolicy& policy) {
  const double quantile = numeric::NormalQuantile((1 + policy.level) / 2);
  std::vector<double> offsets;
  std::vector<double> ratios;
  size_t covered = 0;
  for (const Outcome& outcome : recent) {
    offsets.push_back(Offset(outcome, quantile));
    ratios.push_back(outcome.actual / outcome.predicted);
    covered += IsCovered(outcome) ? 1 : 0;
  }
  const double strength = numeric::Mean(offsets) * std::sqrt(static_cast<double>(recent.size()));
  if (std::abs(strength) > numeric::NormalQuantile(1 - policy.false_alarm / 4)) {
    const double percent = 100 * (numeric::Median(ratios) - 1);
    return fmt::format("the last {} runs took {:.0f} % {} than forecast (median)", recent.size(),
                       std::abs(percent), percent >= 0 ? "longer" : "less");
  }
  if (BinomialTail(covered, recent.size(), policy.level) < policy.false_alarm / 2) {
    return fmt::format("{} of the last {} runs were within their {:.0f} % interval", covered,
                       recent.size(), 100 * policy.level);
  }
  return "";
}

double SumOfDeviations(std::span<const double> values, double from) {
  double sum = 0;
  for (const double value : values) sum += std::abs(value - from);
  return sum;
}

// The best place to cut `ratios` in two levels; 0: one level tells them as well.
size_t LastCut(std::span<const double> ratios) {
  constexpr size_t kLeastLong = 2;
  size_t best = 0;
  double least = SumOfDeviations(ratios, numeric::Median(ratios));
  for (size_t cut = kLeastLong; cut + kLeastLong <= ratios.size(); ++cut) {
    const auto before = ratios.first(cut);
    const auto after = ratios.subspan(cut);
    const double from_before = SumOfDeviations(before, numeric::Median(before));
    const double left = from_before + SumOfDeviations(after, numeric::Median(after));
    if (left >= least) continue;
    // Of a normal variable the mean deviation is sqrt(2 / pi) of the standard one, and a median of
    // n is off by sqrt(pi / 2 / n) of it. Of many cuts the best is taken, hence so large a margin.
    constexpr double kMargin = 5;
    constexpr double kPi = 3.14159265358979;
    const auto n = static_cast<double>(ratios.size());
    const double deviation = std::max(left / n * std::sqrt(kPi / 2), 1e-3);
    const double chance =
        deviation * std::sqrt(kPi / 2) *
        std::sqrt(1 / static_cast<double>(before.size()) + 1 / static_cast<double>(after.size()));
    if (std::abs(numeric::Median(after) - numeric::Median(before)) < kMargin * chance) continue;
    least = left;
    best = cut;
  }
  return best;
}

}  // namespace

size_t PresentLevelBegins(std::span<const Outcome> outcomes) {
  std::vector<double> ratios;
  for (const Outcome& outcome : outcomes) {
    ratios.push_back(std::log(outcome.actual / outcome.predicted));
  }
  size_t begin = 0;
  while (begin < ratios.size()) {
    const size_t cut = LastCut(std::span(ratios).subspan(begin));
    if (cut == 0) break;
    begin += cut;
  }
  return begin;
}

std::optional<Calibration> Calibrate(std::span<const Outcome> outcomes,
                                     const CalibrationPolicy& policy) {
  if (outcomes.empty()) return std::nullopt;
  Calibration calibration;
  calibration.runs = outcomes.size();
  std::vector<double> ratios;
  for (const Outcome& outcome : outcomes) {
    const auto count = static_cast<double>(outcomes.size());
    calibration.mape_percent += 100 * std::abs(outcome.predicted / outcome.actual - 1) / count;
    calibration.covered += (IsCovered(outcome) ? 1 : 0) / count;
    ratios.push_back(outcome.actual / outcome.predicted);
  }
  calibration.bias = numeric::Median(ratios);
  if (outcomes.size() >= policy.least) {
    calibration.why = WhyDrifted(outcomes.last(std::min(policy.window, outcomes.size())), policy);
    calibration.drifted = !calibration.why.empty();
  }
  return calibration;
}

}  // namespace reckon::watch
