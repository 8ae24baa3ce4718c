#include "numeric/nnls.h"

#include <vector>

#include <Eigen/Cholesky>

namespace reckon::numeric {
namespace {

using Index = Eigen::Index;

// Least squares on the passive columns alone. LDLT with pivoting tolerates nearly dependent ones.
Vector SolvePassive(const Matrix& gram, const Vector& moment, const std::vector<Index>& passive) {
  const auto size = static_cast<Index>(passive.size());
  Matrix g(size, size);
  Vector m(size);
  for (Index i = 0; i < size; ++i) {
    m(i) = moment(passive[i]);
    for (Index j = 0; j < size; ++j) g(i, j) = gram(passive[i], passive[j]);
  }
  return g.ldlt().solve(m);
}

}  // namespace

base::Result<Vector> SolveNnls(const Matrix& a, const Vector& b) {
  const Index columns = a.cols();
  if (columns == 0) return Vector();
  Vector scale = a.colwise().norm();
  Matrix scaled = a;
  for (Index j = 0; j < columns; ++j) {
    if (scale(j) > 0) scaled.col(j) /= scale(j);
  }
  const Matrix gram = scaled.transpose() * scaled;
  const Vector moment = scaled.transpose() * b;
  const double tolerance = 1e-12 * (1 + moment.cwiseAbs().maxCoeff());

  Vector x = Vector::Zero(columns);
  std::vector<bool> is_passive(columns, false);
  std::vector<bool> refused(columns, false);  // would make the passive set singular
  std::vector<Index> passive;

  for (Index step = 0; step < 30 * columns + 100; ++step) {
    const Vector gradient = moment - gram * x;
    Index best = -1;
    for (Index j = 0; j < columns; ++j) {
      if (is_passive[j] || refused[j] || scale(j) == 0 || gradient(j) <= tolerance) continue;
      if (best < 0 || gradient(j) > gradient(best)) best = j;
    }
    if (best < 0) {
      for (Index j = 0; j < columns; ++j) {
        if (scale(j) > 0) x(j) /= scale(j);
      }
      return x;
    }
    passive.push_back(best);
    is_passive[best] = true;

    for (bool inside = false; !inside;) {
      const Vector candidate = SolvePassive(gram, moment, passive);
      // A new column that cannot become positive is dependent on the others up to rounding.
      if (passive.back() == best && !(candidate(candidate.size() - 1) > 0)) {
        is_passive[best] = false;
        refused[best] = true;
        passive.pop_back();
        break;
      }
      double shrink = 1;
      inside = true;
      for (size_t i = 0; i < passive.size(); ++i) {
        const double from = x(passive[i]);
        const double to = candidate(static_cast<Index>(i));
        if (to <= 0) {
          inside = false;
          shrink = std::min(shrink, from / (from - to));
        }
      }
      std::vector<Index> kept;
      for (size_t i = 0; i < passive.size(); ++i) {
        const Index j = passive[i];
        const double to = candidate(static_cast<Index>(i));
        x(j) = inside ? to : x(j) + shrink * (to - x(j));
        if (inside || x(j) > 1e-15) {
          kept.push_back(j);
        } else {
          x(j) = 0;
          is_passive[j] = false;
        }
      }
      passive = std::move(kept);
      if (!inside) std::fill(refused.begin(), refused.end(), false);
      if (passive.empty()) break;
    }
  }
  return base::Error(base::ErrorCode::kFailed, "non-negative least squares did not settle");
}

}  // namespace reckon::numeric
