// Stepwise regression: columns come in and go out by the p-values of their coefficients.
#pragma once

#include <vector>

#include "numeric/ridge_path.h"

namespace reckon::numeric {

struct StepwiseOptions {
  double p_to_add = 0.05;
  double p_to_remove = 0.1;  // >= p_to_add, or a column could come and go for ever
  bool intercept = true;
  int most_steps = 100;
};

// Draper and Smith (1966): the column of the smallest p-value comes in when it is below p_to_add;
// when none does, the one of the largest goes out when it is above p_to_remove; ends when neither
// happens. Then least squares on the columns that are in; the others have weight 0.
RidgePath::Solution SolveStepwise(const Matrix& x, const Vector& y, const StepwiseOptions& options);

}  // namespace reckon::numeric
