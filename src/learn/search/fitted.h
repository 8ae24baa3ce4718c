// A fitted candidate: predictions in the target's own unit.
#pragma once

#include <memory>

#include "learn/regressors/technique.h"

namespace reckon::learn {

// What predictions are kept within: nothing that was measured suggests times below or above this,
// and exp() of a wild extrapolation must stay finite.
struct TargetRange {
  double min = 0;
  double max = 0;

  double Lowest() const;
  double Highest() const;
};

TargetRange RangeOf(const Vector& y);

struct Fitted {
  Candidate candidate;
  std::unique_ptr<Predictor> predictor;
  TargetRange range;

  // Always finite; positive when every training target was.
  Vector Predict(const Matrix& x) const;
  // Also how far the parts of the predictor disagree, on its scale; finite, 0 for one part unless
  // its prediction had to be held within the range.
  Vector PredictWithSpread(const Matrix& x, Vector& spread) const;

 private:
  Vector ToTarget(Vector predicted) const;
};

}  // namespace reckon::learn
