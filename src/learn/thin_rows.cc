#include "learn/thin_rows.h"

#include <algorithm>
#include <numeric>

namespace reckon::learn {

std::vector<size_t> ThinRows(size_t rows, size_t most, base::Rng rng) {
  std::vector<size_t> kept(rows);
  if (rows > most) {
    kept = rng.Permutation(rows);
    kept.resize(most);
    std::sort(kept.begin(), kept.end());
  } else {
    std::iota(kept.begin(), kept.end(), size_t{0});
  }
  return kept;
}

}  // namespace reckon::learn
