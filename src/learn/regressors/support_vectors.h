// Support vectors, found by libsvm; the only file that knows it is support_vectors.cc.
#pragma once

#include <vector>

#include "base/result.h"
#include "numeric/matrix.h"

namespace reckon::learn {

struct SupportVectorOptions {
  bool gaussian = true;  // kernel exp(-gamma |a - b|^2); otherwise a.b
  double cost = 1;       // > 0: of a row's error beyond epsilon
  double epsilon = 0.1;  // >= 0
  double gamma = 1;      // > 0
};

// The value at z is intercept + the sum over rows of coefficient * kernel(row, z).
struct SupportVectors {
  std::vector<Eigen::Index> rows;  // of the training matrix
  numeric::Vector coefficients;
  double intercept = 0;
};

// Quadratic to cubic in the rows. kFailed with libsvm's words when it refuses the parameters.
base::Result<SupportVectors> FindSupportVectors(const numeric::Matrix& x, const numeric::Vector& y,
                                                const SupportVectorOptions& options);

}  // namespace reckon::learn
