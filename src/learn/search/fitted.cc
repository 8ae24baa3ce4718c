#include "learn/search/fitted.h"

#include <algorithm>
#include <cmath>

namespace reckon::learn {

TargetRange RangeOf(const Vector& y) { return {y.minCoeff(), y.maxCoeff()}; }

Vector Fitted::Predict(const Matrix& x) const {
  Vector predicted = predictor->Predict(x);
  const double span = std::max(range.max - range.min, std::fabs(range.max));
  const double highest = range.max + 1e6 * span;
  const double lowest = range.min > 0 ? range.min * 1e-3 : range.min - 1e6 * span;
  for (double& value : predicted) {
    if (candidate.scale == TargetScale::kLog) value = std::exp(std::min(value, 700.0));
    // A sum of huge terms of both signs may be NaN; the middle of what was seen is the sane answer.
    if (std::isnan(value)) value = range.min + (range.max - range.min) / 2;
    value = std::clamp(value, lowest, highest);
  }
  return predicted;
}

}  // namespace reckon::learn
