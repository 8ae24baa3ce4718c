#include "decide/recommend/epochs_law.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace reckon::decide {
namespace {

constexpr double kLeastDeviation = 0.1;  // trainings differ by their first parameters alone
constexpr double kEffectIsWorth = 0.02;  // of squared log error: less is no effect
constexpr int kSteps = 60;
constexpr double kBeyond = 100;  // how far beyond what was seen critical values are looked for

double LogShape(const EpochsSeen& one, double per_batch, double per_staleness) {
  return std::log1p(per_batch * one.batch) + std::log1p(per_staleness * one.staleness);
}

struct Level {
  double log_epochs = 0;
  double cost = 0;
};

// The best E0 for a given shape: the mean over those that count. One that was not reached counts
// while the law says that it should have been.
Level BestLevel(std::span<const EpochsSeen> seen, double per_batch, double per_staleness) {
  constexpr int kRounds = 20;
  Level level;
  for (int round = 0; round < kRounds; ++round) {
    double sum = 0;
    double count = 0;
    level.cost = 0;
    for (const EpochsSeen& one : seen) {
      const double own = std::log(one.epochs) - LogShape(one, per_batch, per_staleness);
      const double residual = own - level.log_epochs;
      if (!one.reached && (round == 0 || residual <= 0)) continue;
      sum += own;
      ++count;
      level.cost += residual * residual;
    }
    const double mean = sum / count;
    if (round > 0 && std::fabs(mean - level.log_epochs) < 1e-9) break;
    level.log_epochs = mean;
  }
  return level;
}

// 0, and values on a log scale from one that hardly matters to one that is all that matters.
std::vector<double> Strengths(std::span<const EpochsSeen> seen, double EpochsSeen::*what) {
  double least = std::numeric_limits<double>::infinity();
  double most = 0;
  for (const EpochsSeen& one : seen) {
    if (one.*what > 0) least = std::min(least, one.*what);
    most = std::max(most, one.*what);
  }
  const bool differs = std::any_of(seen.begin(), seen.end(), [&](const EpochsSeen& one) {
    return one.*what != seen.front().*what;
  });
  std::vector<double> strengths{0};
  if (!differs || !(most > 0)) return strengths;
  const double from = std::log(1 / (kBeyond * most));
  const double to = std::log(kBeyond / least);
  for (int i = 0; i <= kSteps; ++i) strengths.push_back(std::exp(from + (to - from) * i / kSteps));
  return strengths;
}

}  // namespace

base::Result<EpochsLaw> EpochsLaw::Fit(std::span<const EpochsSeen> seen) {
  const auto reached =
      std::count_if(seen.begin(), seen.end(), [](const EpochsSeen& one) { return one.reached; });
  if (reached == 0) return base::BadInput("no training has reached that accuracy");
  EpochsLaw law;
  double least = std::numeric_limits<double>::infinity();
  double cost = 0;
  for (const double per_batch : Strengths(seen, &EpochsSeen::batch)) {
    for (const double per_staleness : Strengths(seen, &EpochsSeen::staleness)) {
      const Level level = BestLevel(seen, per_batch, per_staleness);
      const double effects = (per_batch > 0 ? 1 : 0) + (per_staleness > 0 ? 1 : 0);
      const double judged = level.cost + kEffectIsWorth * effects;
      if (!(judged < least)) continue;
      least = judged;
      cost = level.cost;
      law.log_epochs_ = level.log_epochs;
      law.per_batch_ = per_batch;
      law.per_staleness_ = per_staleness;
    }
  }
  law.deviation_ =
      std::max(kLeastDeviation, std::sqrt(cost / std::max(1.0, static_cast<double>(reached) - 1)));
  return law;
}

LogNormal EpochsLaw::Epochs(double batch, double staleness) const {
  return {log_epochs_ + LogShape({batch, staleness, 1, true}, per_batch_, per_staleness_),
          deviation_};
}

}  // namespace reckon::decide
