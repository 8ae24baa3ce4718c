// Fitting the generic law: differential evolution of the powers, then descent.
#pragma once

#include <span>
#include <stop_token>
#include <vector>

#include "base/rng.h"
#include "learn/regressors/generic_problem.h"

namespace reckon::learn {

struct LawFit {
  PowerLawFormula law;
  double cost = 0;  // mean absolute error and penalty, on at most kLawRows rows
};

// Above this many rows the law is fitted to a random part of them: it has so few parameters that
// more rows do not change it.
inline constexpr size_t kLawRows = 20000;

inline constexpr double kLawConstantLimit = 1000;

// The largest constant allowed: 1000 in the unit of the target, as published. Where a time that
// falls as 1/E needs more (the largest target times the smallest E is above 1000), ten times that.
double LawLimit(const Dataset& data, const LawShape& shape);

// One fit for each penalty. For given powers the constants are a problem of linear least squares
// with bounds, so evolution searches the powers alone, on a part of the rows; the best of what it
// leaves behind descends to the minimum of the mean absolute error on all of them. kFailed when no
// powers give a finite error, kInterrupted on stop.
base::Result<std::vector<LawFit>> FitLaw(const Dataset& data, const LawShape& shape,
                                         std::span<const LawPenalty> penalties, base::Rng rng,
                                         const std::stop_token& stop);

}  // namespace reckon::learn
