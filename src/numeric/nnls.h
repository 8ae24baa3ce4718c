// Non-negative least squares: min |A x - b| over x >= 0.
#pragma once

#include "base/result.h"
#include "numeric/matrix.h"

namespace reckon::numeric {

// Active-set method of Lawson and Hanson (1974, chapter 23) on the normal equations with columns
// scaled to unit norm; columns of zeros get x = 0. The solution satisfies the Karush-Kuhn-Tucker
// conditions up to rounding: x >= 0, gradient A^T (b - A x) <= 0, and 0 where x > 0. kFailed when
// it does not settle within 30 * columns + 100 steps (not seen on finite input).
base::Result<Vector> SolveNnls(const Matrix& a, const Vector& b);

}  // namespace reckon::numeric
