// The question a model is asked decides how it is chosen.
#pragma once

#include <cstddef>
#include <optional>

namespace reckon::learn {

// Without a column: forecasts inside the measured range. With one: forecasts beyond the largest
// measured value of that input (index into Schema::inputs).
struct Question {
  std::optional<size_t> extrapolate;
};

}  // namespace reckon::learn
