// Least squares with bounds, on the normal equations.
#pragma once

#include <vector>

#include "numeric/matrix.h"

namespace reckon::numeric {

// Minimises x' G x / 2 - m' x over low <= x <= high by an active-set method (Stark and Parker's
// bounded-variable least squares, 1995, with a start of the caller's choice). G is symmetric and
// positive semi-definite; columns that depend on others stay where they started. Keeps its buffers,
// so one solver serves thousands of small problems; one thread at a time.
class BoxLeastSquares {
 public:
  // `x` is the start, moved inside the bounds, and becomes the solution: the conditions of Karush,
  // Kuhn and Tucker hold up to rounding. After 20 * size + 50 steps (not seen) it is the best so
  // far.
  void Solve(const Matrix& gram, const Vector& moment, const Vector& low, const Vector& high,
             Vector& x);

 private:
  // m - G x, of the lower triangle of G.
  void SetGradient(const Matrix& gram, const Vector& moment, const Vector& x);
  // The Newton step of the free parameters, by Cholesky's decomposition.
  void FreeStep(const Matrix& gram, const Vector& moment, const Vector& x);
  // Puts everything that leaves its bounds there at once: a start that is nearly right and takes
  // few decompositions.
  void Project(const Matrix& gram, const Vector& moment, const Vector& low, const Vector& high,
               Vector& x);

  std::vector<Eigen::Index> free_;
  std::vector<int> side_;       // -1 at the lower bound, 1 at the upper, 0 free
  std::vector<double> factor_;  // columns of the lower triangle
  std::vector<double> step_;
  Vector scale_;
  Vector gradient_;
};

}  // namespace reckon::numeric
