#include "learn/search/fitted.h"

#include <algorithm>
#include <cmath>

namespace reckon::learn {

TargetRange RangeOf(const Vector& y) { return {y.minCoeff(), y.maxCoeff()}; }

double TargetRange::Lowest() const {
  return min > 0 ? min * 1e-3 : min - 1e6 * std::max(max - min, std::fabs(max));
}

double TargetRange::Highest() const { return max + 1e6 * std::max(max - min, std::fabs(max)); }

Vector Fitted::PredictWithSpread(const Matrix& x, Vector& spread) const {
  Vector predicted = predictor->PredictWithSpread(x, spread);
  spread = spread.unaryExpr([](double value) { return std::isfinite(value) ? value : 0.0; });
  return ToTarget(std::move(predicted));
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
