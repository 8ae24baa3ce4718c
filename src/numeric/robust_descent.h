// Least squares that outliers cannot bend, with bounds: Levenberg-Marquardt on the pseudo-Huber
// loss.
#pragma once

#include <functional>

#include "numeric/matrix.h"

namespace reckon::numeric {

// min over lower <= x <= upper of
//   sum_i weight_i d^2 (sqrt(1 + (r_i(x)/d)^2) - 1) + sum_j penalty_j (x_j - prior_j)^2 / 2.
struct RobustProblem {
  // Fills the residuals at a point and, when `jacobian` is not null, their derivatives (rows x
  // parameters).
  std::function<void(const Vector& x, Vector& residual, Matrix* jacobian)> residuals;
  Vector weight;        // of the rows, positive
  double huber = 0.15;  // d: residuals beyond this count by their size instead of its square
  Vector prior;
  Vector penalty;
  Vector lower;
  Vector upper;
};

struct RobustMinimum {
  Vector x;
  double cost = 0;
};

// What is minimised, at a point.
double RobustCost(const RobustProblem& problem, const Vector& x);

// From `start`, within the bounds; held there by projection. The cost never rises, so a start of
// finite cost gives a finite end.
RobustMinimum Descend(const RobustProblem& problem, const Vector& start);

}  // namespace reckon::numeric
