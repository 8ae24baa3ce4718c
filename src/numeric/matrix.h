// The matrix types of the numeric layers: column-major doubles, a column a feature.
#pragma once

#include <Eigen/Core>

namespace reckon::numeric {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

}  // namespace reckon::numeric
