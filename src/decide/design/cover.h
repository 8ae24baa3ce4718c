// The start of a design: every level of every category and both ends of every number.
#pragma once

#include <span>
#include <vector>

#include "decide/design/space.h"

namespace reckon::decide {

// For each of `rows`, how many levels and ends it has that no row of `seen` has.
std::vector<size_t> NewlyCovered(const Space& space, std::span<const size_t> seen,
                                 std::span<const size_t> rows);

}  // namespace reckon::decide
