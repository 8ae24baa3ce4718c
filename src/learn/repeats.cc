#include "learn/repeats.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "numeric/stats.h"

namespace reckon::learn {
namespace {

// Groups of rows with equal inputs, in the order of their first rows.
std::vector<std::vector<size_t>> GroupRows(const Matrix& x) {
  std::vector<size_t> order(static_cast<size_t>(x.rows()));
  std::iota(order.begin(), order.end(), size_t{0});
  const auto compare = [&](size_t a, size_t b) {
    for (Eigen::Index j = 0; j < x.cols(); ++j) {
      const double left = x(static_cast<Eigen::Index>(a), j);
      const double right = x(static_cast<Eigen::Index>(b), j);
      if (left != right) return left < right ? -1 : 1;
    }
    return 0;
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return compare(a, b) < 0; });
  std::vector<std::vector<size_t>> groups;
  for (const size_t row : order) {
    if (groups.empty() || compare(groups.back().front(), row) != 0) groups.emplace_back();
    groups.back().push_back(row);
  }
  std::sort(groups.begin(), groups.end(),
            [](const auto& a, const auto& b) { return a.front() < b.front(); });
  return groups;
}

}  // namespace

Configurations CollapseRepeats(const Matrix& x, const Vector& target, Middle middle) {
  Configurations out;
  out.rows = GroupRows(x);
  const auto count = static_cast<Eigen::Index>(out.rows.size());
  out.x.resize(count, x.cols());
  out.target.resize(count);
  out.count.resize(count);
  std::vector<double> values;
  for (Eigen::Index i = 0; i < count; ++i) {
    const std::vector<size_t>& rows = out.rows[static_cast<size_t>(i)];
    values.clear();
    for (const size_t row : rows) values.push_back(target(static_cast<Eigen::Index>(row)));
    out.x.row(i) = x.row(static_cast<Eigen::Index>(rows.front()));
    out.target(i) = middle == Middle::kMean ? numeric::Mean(values) : numeric::Median(values);
    out.count(i) = static_cast<double>(rows.size());
  }
  return out;
}

Vector RecencyWeights(const Matrix& x, size_t column, double power) {
  const auto cells = x.col(static_cast<Eigen::Index>(column)).array();
  const double end = cells.maxCoeff();
  if (!(end > 0)) return Vector::Ones(x.rows());
  return (cells.max(0.05 * end) / end).pow(power);
}

}  // namespace reckon::learn
