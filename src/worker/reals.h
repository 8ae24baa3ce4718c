// Numbers of a network, of either precision.
#pragma once

#include <cstddef>
#include <span>

#include "base/check.h"

namespace reckon::worker {

// A view of floats or doubles, as the replica was made.
struct Reals {
  void* data = nullptr;
  size_t size = 0;
  bool float64 = false;

  size_t bytes() const { return size * (float64 ? sizeof(double) : sizeof(float)); }
  template <typename Real>
  std::span<Real> As() const {
    RECKON_CHECK(float64 == (sizeof(Real) == sizeof(double)));
    return {static_cast<Real*>(data), size};
  }
};

}  // namespace reckon::worker
