// Intervals that widen with the distance from what was measured.
#pragma once

#include <span>

#include "base/json.h"
#include "base/result.h"
#include "learn/search/contender.h"

namespace reckon::learn {

// How far a row of inputs lies outside the measured range: 0 inside; beyond it the root of the sum
// of squares over columns of |log(x / end)| for positive columns, of the distance in widths of the
// range for others, and of 1 for an unseen category.
double InputDistance(const Eigen::Ref<const Eigen::RowVectorXd>& x, const Schema& schema);

// What makes a forecast less sure than others.
struct Doubt {
  double distance = 0;  // InputDistance
  double spread = 0;    // Fitted::PredictWithSpread
};

// half width = hypot(slope * (near + distance + spread * disagreement), noise, beyond * distance),
// on the log of the target when it is positive, else in its unit. `slope` comes from the conformal
// quantile of |residual| / (near + distance + spread * disagreement) over rows that the model had
// not seen. `beyond` is a floor for what lies outside the measured range: small errors inside it
// promise nothing there, least of all when no left-out row lay outside. `noise` is a floor
// everywhere, of models made before 0.2.0.
struct IntervalRule {
  double level = 0.9;
  bool relative = true;  // on the log of the target
  double slope = 0;
  double near = 0.1;
  double spread = 0;
  double noise = 0;
  double beyond = 0;

  // Never infinite: a factor of at most e^kWidest each way.
  static constexpr double kWidest = 4.6;

  double HalfWidth(const Doubt& doubt) const;
  void Bounds(double predicted, const Doubt& doubt, double& lower, double& upper) const;

  base::Json ToJson() const;
  // Rules of earlier versions have neither `near` nor `spread`.
  static base::Result<IntervalRule> FromJson(const base::Json& json);
};

// From the rows left out to choose the model (at least one) and the targets of all rows.
// `practised`: those rows lay beyond what the model had seen, on purpose.
IntervalRule CalibrateInterval(std::span<const SelectionResidual> residuals, const Vector& truth,
                               bool practised);

}  // namespace reckon::learn
