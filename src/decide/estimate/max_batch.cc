#include "decide/estimate/max_batch.h"

#include <algorithm>

#include "base/check.h"

namespace reckon::decide {

std::optional<int64_t> MaxBatch(const std::function<double(int64_t)>& memory, int64_t least,
                                int64_t most, double limit) {
  RECKON_CHECK(1 <= least && least <= most);
  const auto fits = [&](int64_t batch) { return memory(batch) <= limit; };
  if (!fits(least)) return std::nullopt;
  // Doubling first: an estimator that is only nearly monotonous far out is not asked there.
  int64_t good = least;
  int64_t bad = most + 1;
  while (good < most) {
    const int64_t next = std::min(most, good > most / 2 ? most : 2 * good);
    if (!fits(next)) {
      bad = next;
      break;
    }
    good = next;
  }
  while (bad - good > 1) {
    const int64_t middle = good + (bad - good) / 2;
    (fits(middle) ? good : bad) = middle;
  }
  return good;
}

}  // namespace reckon::decide
