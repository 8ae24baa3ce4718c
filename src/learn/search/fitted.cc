#include "learn/search/fitted.h"

#include <algorithm>
#include <cmath>

namespace reckon::learn {
namespace {

constexpr Eigen::Index kBlock = 512;
constexpr double kHeldSpread = 1;  // a factor of e

}  // namespace

TargetRange RangeOf(const Vector& y) { return {y.minCoeff(), y.maxCoeff()}; }

double TargetRange::Lowest() const {
  return min > 0 ? min * 1e-3 : min - 1e6 * std::max(max - min, std::fabs(max));
}

double TargetRange::Highest() const { return max + 1e6 * std::max(max - min, std::fabs(max)); }

Vector Fitted::Predict(const Matrix& x) const {
  Vector predicted(x.rows());
  // A block after the other, so that what predictors make of them stays in the cache.
  for (Eigen::Index begin = 0; begin < x.rows(); begin += kBlock) {
    const Eigen::Index rows = std::min(kBlock, x.rows() - begin);
    predicted.segment(begin, rows) = predictor->Predict(x.middleRows(begin, rows));
  }
  return ToTarget(std::move(predicted));
}

Vector Fitted::PredictWithSpread(const Matrix& x, Vector& spread) const {
  Vector predicted(x.rows());
  spread.resize(x.rows());
  for (Eigen::Index begin = 0; begin < x.rows(); begin += kBlock) {
    const Eigen::Index rows = std::min(kBlock, x.rows() - begin);
    Vector apart;
    predicted.segment(begin, rows) = predictor->PredictWithSpread(x.middleRows(begin, rows), apart);
    spread.segment(begin, rows) = apart;
  }
  spread = spread.unaryExpr([](double value) { return std::isfinite(value) ? value : 0.0; });
  const Vector held = ToTarget(predicted);
  // What had to be held within the range is no forecast of the model's any more.
  const double doubt = range.min > 0 ? kHeldSpread : range.max - range.min;
  for (Eigen::Index i = 0; i < held.size(); ++i) {
    const bool end = held(i) == range.Lowest() || held(i) == range.Highest();
    if (end || std::isnan(predicted(i))) spread(i) = std::max(spread(i), doubt);
  }
  return held;
}

Vector Fitted::ToTarget(Vector predicted) const {
  const double lowest = range.Lowest();
  const double highest = range.Highest();
  for (double& value : predicted) {
    if (candidate.scale == TargetScale::kLog) value = std::exp(std::min(value, 700.0));
    // A sum of huge terms of both signs may be NaN; the middle of what was seen is the sane answer.
    if (std::isnan(value)) value = range.min + (range.max - range.min) / 2;
    value = std::clamp(value, lowest, highest);
  }
  return predicted;
}

}  // namespace reckon::learn
