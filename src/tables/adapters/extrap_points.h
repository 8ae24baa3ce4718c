// The brackets of Extra-P's POINTS section.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace reckon::tables {

using Point = std::vector<double>;

// Points of `parameter_count` (>= 1) coordinates each, from "(1 2) (3 4)", from "((1) (2)) ((3)
// (4))", from either of them in one more pair of brackets, or, for one parameter, from plain
// numbers. Bad input (without a place) when the brackets, a number or a point's length are wrong.
base::Result<std::vector<Point>> ParsePoints(std::string_view text, size_t parameter_count);

}  // namespace reckon::tables
