#include "watch/convergence.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "numeric/normal.h"

namespace reckon::watch {
namespace {

// Validations on few images are no better than that.
constexpr double kLeastNoise = 0.004;
constexpr int kShapes = 40;  // of each law
constexpr double kTiny = 1e-9;

struct Line {
  double limit = 0;
  double height = 0;
  double cost = 0;  // sum of squares
  // Inverse of the normal matrix.
  double limit_limit = 0;
  double height_height = 0;
  double limit_height = 0;
};

// Least squares of accuracy = limit - height * f, height >= 0 and limit <= 1.
Line FitLine(std::span<const EpochAccuracy> seen, std::span<const double> f) {
  const auto n = static_cast<double>(seen.size());
  double sf = 0;
  double sff = 0;
  double sa = 0;
  double sfa = 0;
  for (size_t i = 0; i < seen.size(); ++i) {
    sf += f[i];
    sff += f[i] * f[i];
    sa += seen[i].accuracy;
    sfa += f[i] * seen[i].accuracy;
  }
  Line line;
  const double determinant = std::max(kTiny, n * sff - sf * sf);
  line.height = std::max(0.0, (sf * sa - n * sfa) / determinant);
  line.limit = (sa + line.height * sf) / n;
  if (line.limit > 1) {
    line.limit = 1;
    line.height = std::max(0.0, (sf - sfa) / std::max(kTiny, sff));
  }
  for (size_t i = 0; i < seen.size(); ++i) {
    const double off = seen[i].accuracy - (line.limit - line.height * f[i]);
    line.cost += off * off;
  }
  line.limit_limit = sff / determinant;
  line.height_height = n / determinant;
  line.limit_height = sf / determinant;
  return line;
}

// From the smallest to the largest shape of each law, evenly on a log scale.
double ShapeAt(double from, double to, int i) {
  return from * std::pow(to / from, static_cast<double>(i) / (kShapes - 1));
}

}  // namespace

double ConvergenceCurve::Shape(Law law, double shape, double epoch) {
  switch (law) {
    case Law::kOptimus:
      return 1 / (epoch + shape);
    case Law::kPower:
      return std::pow(std::max(epoch, kTiny), -shape);
    case Law::kExponential:
      return std::exp(-epoch / shape);
  }
  return 0;
}

const char* ConvergenceCurve::Name(Law law) {
  switch (law) {
    case Law::kOptimus:
      return "optimus";
    case Law::kPower:
      return "power";
    case Law::kExponential:
      return "exponential";
  }
  return "";
}

double ConvergenceCurve::Hypothesis::Mean(double epoch) const {
  return limit - height * Shape(law, shape, epoch);
}

double ConvergenceCurve::Hypothesis::Variance(double epoch) const {
  const double f = Shape(law, shape, epoch);
  return std::max(0.0, limit_variance + f * f * height_variance - 2 * f * both);
}

base::Result<ConvergenceCurve> ConvergenceCurve::Fit(std::span<const EpochAccuracy> seen) {
  if (seen.size() < kFewest) {
    return base::BadInput(fmt::format("{} epochs say nothing about more; expected at least {}",
                                      seen.size(), kFewest));
  }
  double last = 0;
  for (const EpochAccuracy& one : seen) {
    if (!(one.accuracy >= 0 && one.accuracy <= 1)) {
      return base::BadInput(fmt::format("an accuracy of {}; expected 0 to 1", one.accuracy));
    }
    if (!(one.epoch > 0)) return base::BadInput("epochs are counted from 1");
    last = std::max(last, one.epoch);
  }
  struct Range {
    Law law;
    double from;
    double to;
  };
  const std::array<Range, 3> ranges{{{Law::kOptimus, 0.05, 30 * last},
                                     {Law::kPower, 0.15, 4},
                                     {Law::kExponential, 0.2, 10 * last}}};
  ConvergenceCurve curve;
  std::vector<Line> lines;
  double least = INFINITY;
  for (const Range& range : ranges) {
    for (int i = 0; i < kShapes; ++i) {
      Hypothesis one;
      one.law = range.law;
      one.shape = ShapeAt(range.from, range.to, i);
      std::vector<double> f;
      for (const EpochAccuracy& point : seen) f.push_back(Shape(one.law, one.shape, point.epoch));
      lines.push_back(FitLine(seen, f));
      least = std::min(least, lines.back().cost);
      curve.hypotheses_.push_back(one);
    }
  }
  // Three numbers are fitted: limit, height and shape.
  const double freedom = std::max(1.0, static_cast<double>(seen.size()) - 3);
  const double noise = std::max(kLeastNoise * kLeastNoise, least / freedom);
  double sum = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    Hypothesis& one = curve.hypotheses_[i];
    const Line& line = lines[i];
    one.limit = line.limit;
    one.height = line.height;
    one.limit_variance = noise * line.limit_limit;
    one.height_variance = noise * line.height_height;
    one.both = noise * line.limit_height;
    one.weight = std::exp(-(line.cost - least) / (2 * noise));
    sum += one.weight;
  }
  for (Hypothesis& one : curve.hypotheses_) one.weight /= sum;
  std::erase_if(curve.hypotheses_, [](const Hypothesis& one) { return one.weight < 1e-6; });
  return curve;
}

double ConvergenceCurve::Below(double epoch, double accuracy) const {
  double sum = 0;
  for (const Hypothesis& one : hypotheses_) {
    const double deviation = std::sqrt(one.Variance(epoch)) + kTiny;
    sum += one.weight * numeric::NormalBelow((accuracy - one.Mean(epoch)) / deviation);
  }
  return sum;
}

Likely ConvergenceCurve::At(double epoch) const {
  const auto quantile = [&](double p) {
    double low = 0;
    double high = 1;
    for (int i = 0; i < 40; ++i) {
      const double middle = (low + high) / 2;
      (Below(epoch, middle) < p ? low : high) = middle;
    }
    return (low + high) / 2;
  };
  return {quantile(0.5), quantile(0.05), quantile(0.95)};
}

std::optional<Likely> ConvergenceCurve::EpochsTo(double accuracy, double most) const {
  if (1 - Below(most, accuracy) < 0.5) return std::nullopt;
  const auto first = [&](double chance) {
    if (1 - Below(most, accuracy) < chance) return most;
    double low = 0;
    double high = most;
    for (int i = 0; i < 40; ++i) {
      const double middle = (low + high) / 2;
      (1 - Below(middle, accuracy) < chance ? low : high) = middle;
    }
    return high;
  };
  return Likely{first(0.5), first(0.05), first(0.95)};
}

double ConvergenceCurve::ChanceOfGain(double from, double to, double gain) const {
  double sum = 0;
  for (const Hypothesis& one : hypotheses_) {
    const double part = Shape(one.law, one.shape, from) - Shape(one.law, one.shape, to);
    const double deviation = part * std::sqrt(one.height_variance) + kTiny;
    sum += one.weight * (1 - numeric::NormalBelow((gain - one.height * part) / deviation));
  }
  return sum;
}

std::string ConvergenceCurve::law() const {
  std::map<Law, double> weights;
  for (const Hypothesis& one : hypotheses_) weights[one.law] += one.weight;
  const auto best =
      std::max_element(weights.begin(), weights.end(),
                       [](const auto& a, const auto& b) { return a.second < b.second; });
  return Name(best->first);
}

StopReport AdviseStop(std::span<const EpochAccuracy> seen, const StopWish& wish) {
  StopReport report;
  if (seen.empty()) return report;
  const EpochAccuracy& last = seen.back();
  const auto curve = ConvergenceCurve::Fit(seen);
  const bool early = last.epoch < wish.least_epochs || !curve.ok();
  if (wish.target && last.accuracy >= *wish.target) {
    // Twice in a row, or as sure as is asked for: a single validation may be lucky.
    const bool twice = seen.size() > 1 && seen[seen.size() - 2].accuracy >= *wish.target;
    const bool sure = curve.ok() && curve->At(last.epoch).lower >= *wish.target - wish.least_gain;
    if (twice || sure) {
      report.advice = StopAdvice::kTargetReached;
      report.why = fmt::format("an accuracy of {:.3f} is reached after {:.0f} epochs", *wish.target,
                               last.epoch);
      report.epochs = Likely{last.epoch, last.epoch, last.epoch};
      return report;
    }
  }
  if (early) return report;
  report.accuracy = curve->At(std::max(wish.epochs, last.epoch));
  if (wish.target) {
    report.epochs = curve->EpochsTo(*wish.target, std::max(wish.epochs, 10 * last.epoch));
    return report;
  }
  // The epoch from which on nothing worth it comes any more, by what is likely.
  const auto worthless_from = [&](double chance) {
    // The later, the less is left to gain.
    double before = 0;
    double from = wish.epochs;
    while (from - before > 1) {
      const double middle = std::floor((before + from) / 2);
      const bool worth = curve->ChanceOfGain(middle, wish.epochs, wish.least_gain) >= chance;
      (worth ? before : from) = middle;
    }
    return from;
  };
  report.epochs = Likely{worthless_from(0.5), worthless_from(0.95), worthless_from(0.05)};
  const double chance = curve->ChanceOfGain(last.epoch, wish.epochs, wish.least_gain);
  if (chance >= 1 - wish.confidence) return report;
  report.advice = StopAdvice::kPlateau;
  report.why = fmt::format(
      "the {:.0f} epochs that are left gain more than {:.3f} with a probability of {:.0f} % only",
      wish.epochs - last.epoch, wish.least_gain, 100 * chance);
  return report;
}

}  // namespace reckon::watch
