#include "numeric/stats.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/check.h"

namespace reckon::numeric {

double Mean(std::span<const double> values) {
  RECKON_CHECK(!values.empty());
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double Median(std::span<const double> values) {
  RECKON_CHECK(!values.empty());
  std::vector<double> sorted(values.begin(), values.end());
  const size_t middle = sorted.size() / 2;
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<ptrdiff_t>(middle), sorted.end());
  const double upper = sorted[middle];
  if (sorted.size() % 2 == 1) return upper;
  const double lower =
      *std::max_element(sorted.begin(), sorted.begin() + static_cast<ptrdiff_t>(middle));
  return lower + (upper - lower) / 2;
}

double ConformalQuantile(std::span<const double> values, double share) {
  RECKON_CHECK(!values.empty() && share > 0 && share < 1);
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  const double rank = std::ceil(share * static_cast<double>(sorted.size() + 1));
  const size_t index = std::min(sorted.size(), static_cast<size_t>(rank)) - 1;
  return sorted[index];
}

std::vector<double> Distinct(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

}  // namespace reckon::numeric
