// Columns brought to mean 0 and standard deviation 1, so that penalties and distances mean the same
// for each of them.
#pragma once

#include "numeric/matrix.h"

namespace reckon::numeric {

struct Standardised {
  Matrix x;          // columns without variation are 0
  Vector mean;       // of the columns given
  Vector deviation;  // of the columns given, by n; 0: no variation

  // Weights of standardised columns as weights of the columns given.
  Vector Unscaled(const Vector& weights) const;
};

// Rows >= 1.
Standardised Standardise(const Matrix& x);

}  // namespace reckon::numeric
