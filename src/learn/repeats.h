// Repeats: rows with equal inputs are one configuration that was measured several times. And what
// rows count.
#pragma once

#include <vector>

#include "learn/dataset.h"

namespace reckon::learn {

// One row a configuration, in the order of their first rows.
struct Configurations {
  Matrix x;
  Vector target;                          // of the configuration's rows, by `middle`
  Vector count;                           // how many rows it has
  std::vector<std::vector<size_t>> rows;  // which
};

enum class Middle { kMean, kMedian };

// `target` has a value for each row of `x`. Without repeats this is a copy.
Configurations CollapseRepeats(const Matrix& x, const Vector& target, Middle middle);

// (x / its greatest value)^power for the rows' cells of a column, at least for a twentieth of that;
// 1 where none is above 0.
Vector RecencyWeights(const Matrix& x, size_t column, double power);

}  // namespace reckon::learn
