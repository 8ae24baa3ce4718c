#include "decide/recommend/belief.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "decide/recommend/log_normal.h"
#include "numeric/normal.h"

namespace reckon::decide {
namespace {

using Index = Eigen::Index;

// The seeds are the same in every search: who searches differs by the first trials alone.
constexpr uint64_t kTimesSeed = 12345;
constexpr uint64_t kSuccessSeed = 54321;
constexpr double kLeastDoubt = 0.05;  // deviation of log time
constexpr double kCliffChance = 0.6;
// On the scale where success is 1 and failure -1.
constexpr double kMeanSuccess = 0.3;
constexpr double kSizeHelps = 0.5;  // deviation of the slope along the size of the cluster
// Where nothing has succeeded yet.
constexpr double kBeyondBound = 0.3;
constexpr double kBeyondVariance = 0.3;

MixturePrior TimesPrior() {
  MixturePrior prior;
  prior.cliff_chance = kCliffChance;
  return prior;
}

MixturePrior SuccessPrior() {
  MixturePrior prior;
  prior.hypotheses = 64;
  prior.signal = 0.8;
  prior.noise = 0.3;
  prior.centred = false;
  return prior;
}

LogNormal TimeOf(const MixtureView& view, Index hypothesis, Index row) {
  return {view.mean(hypothesis, row), std::hypot(view.deviation(hypothesis, row), kLeastDoubt)};
}

struct Moments {
  double mean = 0;
  double deviation = 0;
};

// Of a measurement of the row.
Moments MeasurementOf(const MixtureView& view, Index row) {
  const double mean = view.weight.dot(view.mean.col(row));
  double variance = 0;
  for (Index k = 0; k < view.weight.size(); ++k) {
    const double off = view.mean(k, row) - mean;
    variance += view.weight(k) *
                (off * off + std::pow(view.deviation(k, row), 2) + std::pow(view.noise(k), 2));
  }
  return {mean, std::sqrt(variance)};
}

}  // namespace

double Belief::ExpectedSeconds(size_t row) const {
  double sum = 0;
  for (Index k = 0; k < log_seconds.weight.size(); ++k) {
    sum += log_seconds.weight(k) * TimeOf(log_seconds, k, static_cast<Index>(row)).Expected();
  }
  return sum;
}

double Belief::ExpectedBelow(size_t row, double limit) const {
  double sum = 0;
  for (Index k = 0; k < log_seconds.weight.size(); ++k) {
    sum += log_seconds.weight(k) *
           TimeOf(log_seconds, k, static_cast<Index>(row)).ExpectedBelow(limit);
  }
  return sum;
}

Believer::Believer(const core::Table& configurations)
    : inputs_(InputsOfConfigurations(configurations)),
      times_(inputs_, inputs_.linear, inputs_.usual_slope, inputs_.slope_deviation, TimesPrior(),
             base::Rng(kTimesSeed)),
      success_(inputs_, inputs_.size, Vector::Zero(1), Vector::Constant(1, kSizeHelps),
               SuccessPrior(), base::Rng(kSuccessSeed)) {}

base::Result<MixtureView> Believer::Times(const std::vector<Trial>& tried) const {
  std::vector<size_t> rows;
  std::vector<size_t> good;
  Vector values(static_cast<Index>(tried.size()));
  for (size_t i = 0; i < tried.size(); ++i) {
    rows.push_back(tried[i].row);
    values(static_cast<Index>(i)) = std::log(tried[i].seconds);
    if (tried[i].ok) good.push_back(i);
  }
  Vector variance = Vector::Zero(values.size());
  if (good.size() < tried.size()) {
    std::optional<MixtureView> known;
    if (!good.empty()) {
      std::vector<size_t> good_rows;
      for (const size_t i : good) good_rows.push_back(tried[i].row);
      RECKON_ASSIGN(known, times_.Condition(good_rows, values(good),
                                            Vector::Zero(static_cast<Index>(good.size()))));
    }
    for (size_t i = 0; i < tried.size(); ++i) {
      if (tried[i].ok) continue;
      const auto at = static_cast<Index>(i);
      if (!known) {
        values(at) += kBeyondBound;
        variance(at) = kBeyondVariance;
        continue;
      }
      const Moments without = MeasurementOf(*known, static_cast<Index>(tried[i].row));
      const numeric::UpperTail tail =
          numeric::NormalUpperTail((values(at) - without.mean) / without.deviation);
      // Often it would never have succeeded: at least as far beyond, and as unsure, as without any.
      values(at) =
          std::max(values(at) + kBeyondBound, without.mean + without.deviation * tail.mean);
      variance(at) =
          std::max(kBeyondVariance, without.deviation * without.deviation * tail.variance);
    }
  }
  return times_.Condition(rows, values, variance);
}

// Success is 1, failure -1.
base::Result<Vector> Believer::Success(const std::vector<Trial>& tried) const {
  std::vector<size_t> rows;
  Vector values(static_cast<Index>(tried.size()));
  for (size_t i = 0; i < tried.size(); ++i) {
    rows.push_back(tried[i].row);
    values(static_cast<Index>(i)) = (tried[i].ok ? 1 : -1) - kMeanSuccess;
  }
  RECKON_ASSIGN(const MixtureView view,
                success_.Condition(rows, values, Vector::Zero(values.size())));
  Vector ok = Vector::Zero(view.mean.cols());
  for (Index k = 0; k < view.weight.size(); ++k) {
    for (Index row = 0; row < ok.size(); ++row) {
      const double spread = std::hypot(view.deviation(k, row), view.noise(k));
      ok(row) += view.weight(k) * numeric::NormalBelow((kMeanSuccess + view.mean(k, row)) / spread);
    }
  }
  for (const Trial& trial : tried) ok(static_cast<Index>(trial.row)) = trial.ok ? 1 : 0;
  return ok;
}

base::Result<Belief> Believer::Believe(const std::vector<Trial>& tried) const {
  Belief belief;
  RECKON_ASSIGN(belief.log_seconds, Times(tried));
  RECKON_ASSIGN(belief.ok, Success(tried));
  return belief;
}

}  // namespace reckon::decide
