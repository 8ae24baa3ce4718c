// The sequential optimal design: measure where it makes forecasts surest for what it costs.
#pragma once

#include <optional>

#include "base/rng.h"
#include "decide/design/design.h"
#include "decide/design/kernel_cache.h"

namespace reckon::decide {

// First covers every level and end (cover.h) cheaply; then takes the candidate of the largest gain
// per expected cost. Gain by criterion, with C the covariance of log time given what was measured
// and s^2 the noise of one measurement:
//   A: how much the mean variance over all candidates falls, mean_j C_ij^2 / (C_ii + s^2)
//   D: the information about the law, log(1 + C_ii / s^2) / 2
// Above kMostInPlay candidates a random part of them is looked at in each step; the mean variance
// is that of at most kMostReference of them.
class OptimalDesign final : public Design {
 public:
  explicit OptimalDesign(const DesignOptions& options)
      : criterion_(options.criterion), rng_(options.seed), kernels_(rng_.Fork(1)) {}

  base::Result<std::optional<DesignChoice>> Next(const DesignProblem& problem) override;

 private:
  Criterion criterion_;
  base::Rng rng_;
  KernelCache kernels_;
};

inline constexpr size_t kMostInPlay = 1000;
inline constexpr size_t kMostReference = 400;

}  // namespace reckon::decide
