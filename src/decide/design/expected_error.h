// How far forecasts of what was not measured should be off.
#pragma once

#include <optional>

#include "base/result.h"
#include "decide/design/design.h"
#include "decide/design/kernel_cache.h"

namespace reckon::decide {

struct ExpectedError {
  double unmeasured_percent = 0;  // mean absolute percentage error at candidates not measured
  double left_out_percent = 0;    // at those measured, each forecast from the others
  // Mean deviation of forecasts at candidates not measured over that at those measured, left out.
  double harder = 1;
};

// nullopt while fewer than five candidates are measured: nobody can tell then. A design chooses
// what is far from the rest, so that leaving out a measured candidate is a harder question than
// most; but what remains may be harder still. `kernels` is only kept work.
base::Result<std::optional<ExpectedError>> EstimateError(const DesignProblem& problem,
                                                         KernelCache& kernels);

// What to expect of a model that was fitted to the measurements and whose error at measured points
// left out is `left_out_percent`: the worse of what the process and the model say, and a quarter on
// top, for what was not measured is dearer than what was, and larger errors come with that.
double ExpectedPercent(const ExpectedError& process, double left_out_percent);

}  // namespace reckon::decide
