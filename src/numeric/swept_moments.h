// Least squares on growing and shrinking sets of columns, one column at a time.
#pragma once

#include <vector>

#include "numeric/matrix.h"

namespace reckon::numeric {

// The matrix of moments [X y]^T [X y] / n under the sweep operator (Goodnight 1979). With the
// columns of a set swept in, their entries against y are their least-squares coefficients, and what
// is left of the others is orthogonal to the set. Sweeping a column in or out costs O(p^2).
class SweptMoments {
 public:
  SweptMoments(const Matrix& x, const Vector& y);

  bool IsIn(Eigen::Index column) const { return in_[static_cast<size_t>(column)]; }
  // Whether enough of a column is left beside those that are in to tell it from them.
  bool CanEnter(Eigen::Index column) const;
  // Into the set, or out of it again.
  void Sweep(Eigen::Index column);

  // The mean square of what the set leaves over.
  double Residual() const { return moments_(last_, last_); }
  // What Residual would fall by if the column came in, or rise by if it went out.
  double Gain(Eigen::Index column) const;
  // Of a column in the set; of another, what it would have in the set.
  double Coefficient(Eigen::Index column) const;
  // The coefficient of `column` (in the set) in the regression of `other` (not in it) on the set.
  double Coefficient(Eigen::Index column, Eigen::Index other) const {
    return moments_(column, other);
  }

 private:
  Matrix moments_;
  Vector whole_;  // the diagonal as it was
  std::vector<bool> in_;
  Eigen::Index last_;  // y
};

}  // namespace reckon::numeric
