// Gaussian process regression: kernels whose parameters come from the marginal likelihood.
#pragma once

#include <vector>

#include "base/result.h"
#include "numeric/matrix.h"

namespace reckon::numeric {

// k(a, b) = signal * Matern52(r) + linear * a.b / columns, r^2 = sum over columns of
// weight[group[column]] * (a - b)^2; the noise of a row that stands for `count` measurements is
// noise / count. Columns of one group share their length scale: the forms of one input, or the
// levels of one category.
struct ProcessKernel {
  double signal = 1;
  double linear = 1;
  double noise = 0.01;
  std::vector<double> weights;
};

struct ProcessData {
  Matrix x;                   // standardised
  Vector y;                   // mean 0, deviation 1
  Vector count;               // >= 1
  std::vector<size_t> group;  // of each column: 0, 1, ... without gaps
};

// (1 + sqrt(5) r + 5/3 r^2) exp(-sqrt(5) r), by the square of r.
double Matern52(double squared_distance);

// The parameters that make the data likeliest (Rasmussen and Williams 2006, equation 5.8), with
// broad log-normal priors so that a direction the data say nothing about stays where it started.
// Cubic in the rows: give it a few hundred.
ProcessKernel FitKernel(const ProcessData& data);

// (K + noise)^-1 y: the mean of the process at z is the sum of these times k(z, row). kFailed when
// the matrix is not positive definite, which the noise prevents on finite input.
base::Result<Vector> ProcessCoefficients(const ProcessData& data, const ProcessKernel& kernel);

}  // namespace reckon::numeric
