// Sums of power laws: y = exp(s . b) * (sum_k exp(w_k . z)^p)^(1/p), fitted on the log scale.
//
// With z the logarithms of columns every term is a power law; p = 1 adds them up (work after work),
// a larger p comes near their maximum (the slowest stage decides).
#pragma once

#include "numeric/matrix.h"

namespace reckon::numeric {

struct PowerSumProblem {
  Matrix terms;   // rows x d: what each term has its own weights for; a column of ones among them
  Matrix shared;  // rows x e: what scales all terms alike; may have no columns
  Vector target;  // log y
  Vector weight;  // of the rows, positive
  int count = 2;  // of terms
  double sharpness = 1;
  double huber = 0.15;  // residuals beyond this count by their size instead of its square

  // Penalties pull the weights towards the prior; bounds hold them. All count x d.
  Matrix prior;
  Matrix penalty;
  Matrix lower;
  Matrix upper;
  double shared_penalty = 1e-3;  // towards 0
};

struct PowerSum {
  Matrix weights;  // count x d
  Vector shared;
  double sharpness = 1;
  double cost = 0;

  // log y for rows of the two kinds of inputs.
  Vector Evaluate(const Matrix& terms, const Matrix& other) const;
};

// Levenberg-Marquardt with the analytic Jacobian on the pseudo-Huber loss, weights held in their
// bounds by projection, from `start` (count x d, within the bounds). Always finite.
PowerSum FitPowerSum(const PowerSumProblem& problem, const Matrix& start);

}  // namespace reckon::numeric
