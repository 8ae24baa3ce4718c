#include "numeric/forward_selection.h"

#include <limits>

#include "numeric/standardise.h"
#include "numeric/swept_moments.h"

namespace reckon::numeric {
namespace {

using Index = Eigen::Index;

// One fold: what its training rows say about the error on its test rows.
class Fold {
 public:
  Fold(const Matrix& x, const Vector& y, const FoldRows& rows)
      : Fold(Standardise(x(rows.train, Eigen::all)), Vector(y(rows.train)),
             Matrix(x(rows.test, Eigen::all)), Vector(y(rows.test))) {}

  double Error() const { return residual_.squaredNorm(); }

  // The error on the test rows if the column came in.
  double ErrorWith(Index column) const {
    if (!moments_.CanEnter(column)) return Error();
    return (residual_ - moments_.Coefficient(column) * left_.col(column)).squaredNorm();
  }

  void Add(Index column) {
    if (!moments_.CanEnter(column)) return;
    const Vector own = left_.col(column);
    residual_ -= moments_.Coefficient(column) * own;
    moments_.Sweep(column);
    for (Index j = 0; j < left_.cols(); ++j) {
      if (!moments_.IsIn(j)) left_.col(j) -= moments_.Coefficient(column, j) * own;
    }
  }

 private:
  Fold(const Standardised& train, const Vector& y_train, Matrix test, const Vector& y_test)
      : moments_(train.x, y_train.array() - y_train.mean()),
        left_(std::move(test)),
        residual_(y_test.array() - y_train.mean()) {
    for (Index j = 0; j < left_.cols(); ++j) {
      const double scale = train.deviation(j) > 0 ? 1 / train.deviation(j) : 0;
      left_.col(j) = (left_.col(j).array() - train.mean(j)) * scale;
    }
  }

  SweptMoments moments_;
  Matrix left_;      // of each column on the test rows, beside the columns that are in
  Vector residual_;  // of the target on the test rows
};

}  // namespace

std::vector<Eigen::Index> SelectForward(const Matrix& x, const Vector& y,
                                        std::span<const FoldRows> folds, size_t most,
                                        const std::stop_token& stop) {
  std::vector<Fold> parts;
  parts.reserve(folds.size());
  for (const FoldRows& rows : folds) {
    if (stop.stop_requested()) return {};
    parts.emplace_back(x, y, rows);
  }
  const Standardised whole = Standardise(x);
  std::vector<bool> taken(static_cast<size_t>(x.cols()), false);
  std::vector<Index> order;
  size_t best_size = 0;
  double best_error = std::numeric_limits<double>::infinity();
  while (order.size() < most && !stop.stop_requested()) {
    Index next = -1;
    double next_error = std::numeric_limits<double>::infinity();
    for (Index j = 0; j < x.cols(); ++j) {
      if (taken[static_cast<size_t>(j)] || whole.deviation(j) == 0) continue;
      double error = 0;
      for (const Fold& part : parts) error += part.ErrorWith(j);
      if (error < next_error) {
        next = j;
        next_error = error;
      }
    }
    if (next < 0) break;
    for (Fold& part : parts) part.Add(next);
    taken[static_cast<size_t>(next)] = true;
    order.push_back(next);
    if (next_error < best_error) {
      best_error = next_error;
      best_size = order.size();
    }
  }
  order.resize(best_size);
  return order;
}

}  // namespace reckon::numeric
