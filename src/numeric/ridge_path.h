// Ridge regression for many penalties from one decomposition.
#pragma once

#include "numeric/standardise.h"

namespace reckon::numeric {

// min |y - c - X w|^2 / n + alpha |D w|^2, D the columns' standard deviations: penalties act on
// standardised columns, the intercept c is free. One symmetric eigendecomposition of the
// correlation matrix (p x p) serves every alpha; each Solve is O(p^2).
class RidgePath {
 public:
  // Rows >= 1. Columns without variation get weight 0.
  RidgePath(const Matrix& x, const Vector& y);

  struct Solution {
    Vector weights;  // in the units of the columns given
    double intercept = 0;
  };
  // alpha >= 0; directions with an eigenvalue below 1e-12 of the largest get weight 0, so alpha = 0
  // gives the least-squares solution of smallest norm.
  Solution Solve(double alpha) const;

 private:
  Standardised columns_;  // without their cells
  double y_mean_;
  Vector eigenvalues_;
  Matrix eigenvectors_;
  Vector projected_;  // V^T X^T y / n, standardised
};

}  // namespace reckon::numeric
