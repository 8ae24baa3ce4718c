#include "numeric/ridge_path.h"

#include <cmath>

#include <Eigen/Eigenvalues>

#include "base/check.h"

namespace reckon::numeric {

RidgePath::RidgePath(const Matrix& x, const Vector& y) {
  RECKON_CHECK(x.rows() == y.size() && x.rows() >= 1);
  const auto rows = static_cast<double>(x.rows());
  mean_ = x.colwise().mean();
  y_mean_ = y.mean();
  Matrix standard = x.rowwise() - mean_.transpose();
  deviation_ = (standard.colwise().squaredNorm() / rows).cwiseSqrt();
  for (Eigen::Index j = 0; j < x.cols(); ++j) {
    // Rounding alone gives a constant column a deviation of about 1e-16 of its size.
    const bool varies = deviation_(j) > 1e-12 * (std::fabs(mean_(j)) + 1e-300);
    if (!varies) deviation_(j) = 0;
    standard.col(j) *= varies ? 1 / deviation_(j) : 0.0;
  }
  const Matrix correlation = standard.transpose() * standard / rows;
  const Vector moment = standard.transpose() * (y.array() - y_mean_).matrix() / rows;
  const Eigen::SelfAdjointEigenSolver<Matrix> solver(correlation);
  eigenvalues_ = solver.eigenvalues();
  eigenvectors_ = solver.eigenvectors();
  projected_ = eigenvectors_.transpose() * moment;
}

RidgePath::Solution RidgePath::Solve(double alpha) const {
  const Eigen::Index columns = mean_.size();
  Solution solution;
  solution.weights = Vector::Zero(columns);
  solution.intercept = y_mean_;
  if (columns == 0) return solution;
  const double floor = 1e-12 * std::max(eigenvalues_.maxCoeff(), 1e-300);
  Vector shrunk = Vector::Zero(columns);
  for (Eigen::Index i = 0; i < columns; ++i) {
    if (eigenvalues_(i) > floor) shrunk(i) = projected_(i) / (eigenvalues_(i) + alpha);
  }
  const Vector standard = eigenvectors_ * shrunk;
  for (Eigen::Index j = 0; j < columns; ++j) {
    if (deviation_(j) > 0) solution.weights(j) = standard(j) / deviation_(j);
  }
  solution.intercept -= solution.weights.dot(mean_);
  return solution;
}

}  // namespace reckon::numeric
