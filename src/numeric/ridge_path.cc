#include "numeric/ridge_path.h"

#include <algorithm>
#include <utility>

#include <Eigen/Eigenvalues>

#include "base/check.h"

namespace reckon::numeric {

RidgePath::RidgePath(const Matrix& x, const Vector& y) {
  RECKON_CHECK(x.rows() == y.size() && x.rows() >= 1);
  const auto rows = static_cast<double>(x.rows());
  columns_ = Standardise(x);
  y_mean_ = y.mean();
  if (x.cols() == 0) return;  // the eigensolver needs something to solve
  const Matrix standard = std::move(columns_.x);
  const Matrix correlation = standard.transpose() * standard / rows;
  const Vector moment = standard.transpose() * (y.array() - y_mean_).matrix() / rows;
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(correlation);
  eigenvalues_ = solver.eigenvalues();
  eigenvectors_ = solver.eigenvectors();
  projected_ = eigenvectors_.transpose() * moment;
}

RidgePath::Solution RidgePath::Solve(double alpha) const {
  const Eigen::Index columns = columns_.mean.size();
  Solution solution;
  solution.weights = Vector::Zero(columns);
  solution.intercept = y_mean_;
  if (columns == 0) return solution;
  const double floor = 1e-12 * std::max(eigenvalues_.maxCoeff(), 1e-300);
  Vector shrunk = Vector::Zero(columns);
  for (Eigen::Index i = 0; i < columns; ++i) {
    if (eigenvalues_(i) > floor) shrunk(i) = projected_(i) / (eigenvalues_(i) + alpha);
  }
  solution.weights = columns_.Unscaled(eigenvectors_ * shrunk);
  solution.intercept -= solution.weights.dot(columns_.mean);
  return solution;
}

}  // namespace reckon::numeric
