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

namespace {

// Ranks from 1 on, ties at the mean of theirs.
std::vector<double> Ranks(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t i, size_t j) { return values[i] < values[j]; });
  std::vector<double> ranks(values.size());
  for (size_t begin = 0; begin < order.size();) {
    size_t end = begin;
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    for (size_t i = begin; i < end; ++i) {
      ranks[order[i]] = static_cast<double>(begin + end + 1) / 2;
    }
    begin = end;
  }
  return ranks;
}

}  // namespace

double RankCorrelation(std::span<const double> a, std::span<const double> b) {
  RECKON_CHECK(a.size() == b.size() && !a.empty());
  const std::vector<double> left = Ranks(a);
  const std::vector<double> right = Ranks(b);
  const double middle = static_cast<double>(a.size() + 1) / 2;
  double product = 0;
  double squares_left = 0;
  double squares_right = 0;
  for (size_t i = 0; i < a.size(); ++i) {
    product += (left[i] - middle) * (right[i] - middle);
    squares_left += (left[i] - middle) * (left[i] - middle);
    squares_right += (right[i] - middle) * (right[i] - middle);
  }
  if (squares_left == 0 || squares_right == 0) return 0;
  return product / std::sqrt(squares_left * squares_right);
}

std::vector<double> Distinct(std::span<const double> values) {
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

}  // namespace reckon::numeric
