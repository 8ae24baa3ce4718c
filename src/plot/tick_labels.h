// What the marks of an axis say, in one form for the whole axis.
#pragma once

#include <string>
#include <vector>

namespace reckon::plot {

// For a linear axis: the same number of decimals, thousands set apart by commas, "2×10⁻⁵" when the
// numbers are very large or very small.
std::vector<std::string> LinearTickLabels(const std::vector<double>& ticks);

// For a logarithmic axis: each number with the digits it needs, or "10⁻⁵", "2×10⁷".
std::vector<std::string> LogTickLabels(const std::vector<double>& ticks);

// For powers of two: "64", or "2²⁴" when they are very large or very small.
std::vector<std::string> PowerOfTwoTickLabels(const std::vector<double>& ticks);

}  // namespace reckon::plot
