// Intervals that widen with the distance from what was measured.
#pragma once

#include <span>

#include "base/json.h"
#include "base/result.h"
#include "learn/search/search.h"

namespace reckon::learn {

// How far a row of inputs lies outside the measured range: 0 inside; beyond it the root of the sum
// of squares over columns of |log(x / end)| for positive columns, of the distance in widths of the
// range for others, and of 1 for an unseen category.
double InputDistance(const Eigen::Ref<const Eigen::RowVectorXd>& x, const Schema& schema);

// half width = hypot(slope * (kNear + distance), noise, beyond * distance), on the log of the
// target when it is positive, else in its unit. `slope` is the conformal quantile of |residual| /
// (kNear + distance) over rows that the model had not seen, `noise` that of the residuals of its
// own training rows. `beyond` is a floor for what lies outside the measured range: small errors
// inside it promise nothing there, least of all when no left-out row lay outside.
struct IntervalRule {
  double level = 0.9;
  bool relative = true;  // on the log of the target
  double slope = 0;
  double noise = 0;
  double beyond = 0;

  static constexpr double kNear = 0.1;
  // Never infinite: a factor of at most e^kWidest each way.
  static constexpr double kWidest = 4.6;

  double HalfWidth(double distance) const;
  void Bounds(double predicted, double distance, double& lower, double& upper) const;

  base::Json ToJson() const;
  static base::Result<IntervalRule> FromJson(const base::Json& json);
};

// `truth` and `fitted`: the training rows and the final model's predictions for them.
IntervalRule CalibrateInterval(std::span<const SelectionResidual> residuals, const Vector& truth,
                               const Vector& fitted);

}  // namespace reckon::learn
