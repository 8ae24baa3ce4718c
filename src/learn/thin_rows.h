// A random part of very many rows, for what is too slow on all of them.
#pragma once

#include <cstddef>
#include <vector>

#include "base/rng.h"

namespace reckon::learn {

// At most `most` of the rows 0..rows-1, drawn at random, ascending; all of them when they are
// fewer.
std::vector<size_t> ThinRows(size_t rows, size_t most, base::Rng rng);

}  // namespace reckon::learn
