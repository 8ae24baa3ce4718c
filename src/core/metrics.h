// Metrics: how far predictions are from the truth.
#pragma once

#include <cstddef>
#include <optional>

namespace reckon::core {

// A figure is absent where it is not defined: MAPE without a target other than 0, R2 when all
// targets are equal.
struct Metrics {
  std::optional<double> mape_percent;  // over the rows whose target is not 0
  double rmse = 0;                     // in the target's unit
  std::optional<double> r2;
  size_t rows = 0;
};

}  // namespace reckon::core
