#include "numeric/swept_moments.h"

#include <cmath>

#include "base/check.h"

namespace reckon::numeric {
namespace {

// Of its own square that a column must have left beside the others.
constexpr double kTellApart = 1e-9;

}  // namespace

SweptMoments::SweptMoments(const Matrix& x, const Vector& y)
    : in_(static_cast<size_t>(x.cols()), false), last_(x.cols()) {
  RECKON_CHECK(x.rows() == y.size() && x.rows() >= 1);
  Matrix both(x.rows(), x.cols() + 1);
  both << x, y;
  moments_ = both.transpose() * both / static_cast<double>(x.rows());
  whole_ = moments_.diagonal();
}

bool SweptMoments::CanEnter(Eigen::Index column) const {
  return !IsIn(column) && moments_(column, column) > kTellApart * whole_(column) &&
         whole_(column) > 0;
}

void SweptMoments::Sweep(Eigen::Index column) {
  const double pivot = moments_(column, column);
  const double sign = IsIn(column) ? -1 : 1;
  const Vector line = moments_.col(column);
  moments_ -= line * line.transpose() / pivot;
  moments_.col(column) = sign * line / pivot;
  moments_.row(column) = moments_.col(column).transpose();
  moments_(column, column) = -1 / pivot;
  in_[static_cast<size_t>(column)] = !IsIn(column);
}

double SweptMoments::Gain(Eigen::Index column) const {
  const double with_target = moments_(column, last_);
  return with_target * with_target / std::fabs(moments_(column, column));
}

double SweptMoments::Coefficient(Eigen::Index column) const {
  const double with_target = moments_(column, last_);
  return IsIn(column) ? with_target : with_target / moments_(column, column);
}

}  // namespace reckon::numeric
