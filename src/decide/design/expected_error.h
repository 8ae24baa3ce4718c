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

}  // namespace reckon::decide
