#include "numeric/standardise.h"

#include <cmath>

namespace reckon::numeric {

Standardised Standardise(const Matrix& x) {
  Standardised out;
  out.mean = x.colwise().mean();
  out.x = x.rowwise() - out.mean.transpose();
  out.deviation = (out.x.colwise().squaredNorm() / static_cast<double>(x.rows())).cwiseSqrt();
  for (Eigen::Index j = 0; j < x.cols(); ++j) {
    // Rounding alone gives a constant column a deviation of about 1e-16 of its size.
    const bool varies = out.deviation(j) > 1e-12 * (std::fabs(out.mean(j)) + 1e-300);
    if (!varies) out.deviation(j) = 0;
    out.x.col(j) *= varies ? 1 / out.deviation(j) : 0.0;
  }
  return out;
}

Vector Standardised::Unscaled(const Vector& weights) const {
  Vector unscaled = Vector::Zero(weights.size());
  for (Eigen::Index j = 0; j < weights.size(); ++j) {
    if (deviation(j) > 0) unscaled(j) = weights(j) / deviation(j);
  }
  return unscaled;
}

}  // namespace reckon::numeric
