// Kernels are chosen anew when a quarter more was measured, not at every step.
#pragma once

#include <vector>

#include "base/rng.h"
#include "decide/design/surrogate.h"

namespace reckon::decide {

// The kernel for `measured` is chosen by the longest beginning of it whose length is in the series
// 1, 2, 3, 4, 5, 6, 8, 10, 13, ...: a function of the arguments alone, and mostly of what it was
// asked the last time, which it keeps. Not thread-safe.
class KernelCache {
 public:
  explicit KernelCache(base::Rng rng) : rng_(rng) {}

  const LogKernel& For(const Space& space, const std::vector<Measurement>& measured);

 private:
  base::Rng rng_;
  bool filled_ = false;
  Matrix features_;
  std::vector<Measurement> from_;
  LogKernel kernel_;
};

}  // namespace reckon::decide
