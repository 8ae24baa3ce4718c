// The lasso for many penalties from one matrix of correlations.
#pragma once

#include <span>
#include <vector>

#include "numeric/ridge_path.h"

namespace reckon::numeric {

// min |v - Z b|^2 / 2n + alpha |b|_1 with Z and v the standardised columns and target, so that
// alpha means the same whatever their units: from 1 on every weight is 0. Coordinate descent on the
// correlations (Friedman, Hastie and Tibshirani 2010) goes down the fixed penalties 1/2, 1/4, ...
// and from the last of them above alpha to alpha itself; where the signs have settled, the linear
// system of the weights that are not 0 is solved instead.
class LassoPath {
 public:
  // Rows >= 1. Columns without variation get weight 0.
  LassoPath(const Matrix& x, const Vector& y);

  // One solution for each alpha > 0, in the units of the columns given. What the others are does
  // not matter to any of them.
  std::vector<RidgePath::Solution> Solve(std::span<const double> alphas) const;

 private:
  void Descend(double alpha, Vector& weights) const;
  bool SolveSettled(double alpha, Vector& weights) const;

  Standardised columns_;  // without their cells
  double y_mean_ = 0;
  double y_deviation_ = 0;
  Matrix correlation_;
  Vector moment_;
};

}  // namespace reckon::numeric
