#include "numeric/box_least_squares.h"

#include <algorithm>
#include <cmath>

namespace reckon::numeric {
namespace {

using Index = Eigen::Index;

// What is left of a column's unit length after the columns before it, below which it depends on
// them.
constexpr double kDependent = 1e-11;
constexpr double kGradientTolerance = 1e-10;

}  // namespace

void BoxLeastSquares::SetGradient(const Matrix& gram, const Vector& moment, const Vector& x) {
  gradient_ = moment;
  for (Index j = 0; j < x.size(); ++j) {
    const double* column = gram.col(j).data();
    double sum = column[j] * x(j);
    for (Index i = j + 1; i < x.size(); ++i) {
      gradient_(i) -= column[i] * x(j);
      sum += column[i] * x(i);
    }
    gradient_(j) -= sum;
  }
}

void BoxLeastSquares::FreeStep(const Matrix& gram, const Vector& moment, const Vector& x) {
  free_.clear();
  for (Index j = 0; j < x.size(); ++j) {
    if (side_[j] == 0 && scale_(j) > 0) free_.push_back(j);
  }
  SetGradient(gram, moment, x);
  const size_t size = free_.size();
  factor_.resize(size * size);
  step_.resize(size);
  // Columns of the factor, each from those before it: loops without sums, which become vector
  // instructions. The diagonal holds inverses.
  for (size_t j = 0; j < size; ++j) {
    double* column = &factor_[j * size];
    const double scale = scale_(free_[j]);
    for (size_t i = j; i < size; ++i) {
      column[i] = gram(free_[i], free_[j]) * scale * scale_(free_[i]);
    }
    for (size_t k = 0; k < j; ++k) {
      const double* before = &factor_[k * size];
      const double amount = before[j];
      for (size_t i = j; i < size; ++i) column[i] -= amount * before[i];
    }
    const double inverse = column[j] > kDependent ? 1 / std::sqrt(column[j]) : 0;
    for (size_t i = j + 1; i < size; ++i) column[i] *= inverse;
    column[j] = inverse;
    step_[j] = gradient_(free_[j]) * scale;
  }
  for (size_t j = 0; j < size; ++j) {
    const double* column = &factor_[j * size];
    step_[j] *= column[j];
    for (size_t i = j + 1; i < size; ++i) step_[i] -= step_[j] * column[i];
  }
  for (size_t j = size; j-- > 0;) {
    const double* column = &factor_[j * size];
    double sum = step_[j];
    for (size_t i = j + 1; i < size; ++i) sum -= column[i] * step_[i];
    step_[j] = sum * column[j];
  }
  for (size_t j = 0; j < size; ++j) step_[j] *= scale_(free_[j]);
}

void BoxLeastSquares::Project(const Matrix& gram, const Vector& moment, const Vector& low,
                              const Vector& high, Vector& x) {
  for (bool inside = false; !inside;) {
    FreeStep(gram, moment, x);
    inside = true;
    for (size_t i = 0; i < free_.size(); ++i) {
      const Index j = free_[i];
      x(j) += step_[i];
      if (x(j) >= low(j) && x(j) <= high(j)) continue;
      side_[j] = x(j) < low(j) ? -1 : 1;
      x(j) = x(j) < low(j) ? low(j) : high(j);
      inside = false;
    }
  }
}

void BoxLeastSquares::Solve(const Matrix& gram, const Vector& moment, const Vector& low,
                            const Vector& high, Vector& x) {
  const Index size = moment.size();
  scale_.resize(size);
  side_.assign(static_cast<size_t>(size), 0);
  double largest = 0;
  for (Index j = 0; j < size; ++j) {
    // A column of zeros has nothing to say: it stays at its start.
    scale_(j) = gram(j, j) > 0 ? 1 / std::sqrt(gram(j, j)) : 0;
    x(j) = std::clamp(x(j), low(j), high(j));
    if (x(j) <= low(j)) side_[j] = -1;
    if (x(j) >= high(j)) side_[j] = 1;
    largest = std::max(largest, std::fabs(moment(j)) * scale_(j));
  }
  const double tolerance = kGradientTolerance * largest;
  Project(gram, moment, low, high, x);
  for (Index step = 0; step < 20 * size + 50; ++step) {
    FreeStep(gram, moment, x);
    double share = 1;
    Index blocking = -1;
    for (size_t i = 0; i < free_.size(); ++i) {
      const Index j = free_[i];
      const double to = x(j) + step_[i];
      if (to < low(j) && (low(j) - x(j)) / step_[i] < share) {
        share = std::max(0.0, (low(j) - x(j)) / step_[i]);
        blocking = j;
      } else if (to > high(j) && (high(j) - x(j)) / step_[i] < share) {
        share = std::max(0.0, (high(j) - x(j)) / step_[i]);
        blocking = j;
      }
    }
    for (size_t i = 0; i < free_.size(); ++i) {
      const Index j = free_[i];
      if (j == blocking) {
        side_[j] = step_[i] < 0 ? -1 : 1;
        x(j) = step_[i] < 0 ? low(j) : high(j);
      } else {
        x(j) = std::clamp(x(j) + share * step_[i], low(j), high(j));
      }
    }
    if (blocking >= 0) continue;
    SetGradient(gram, moment, x);
    Index worst = -1;
    double gain = tolerance;
    for (Index j = 0; j < size; ++j) {
      if (side_[j] == 0 || low(j) == high(j)) continue;
      const double inward = -side_[j] * gradient_(j) * scale_(j);
      if (inward <= gain) continue;
      gain = inward;
      worst = j;
    }
    if (worst < 0) return;
    side_[worst] = 0;
  }
}

}  // namespace reckon::numeric
