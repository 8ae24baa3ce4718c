#include "numeric/lasso_path.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <Eigen/Cholesky>

#include "base/check.h"

namespace reckon::numeric {
namespace {

using Index = Eigen::Index;

constexpr double kTolerance = 1e-10;  // of what a target of deviation 1 needs
constexpr int kMostSweeps = 1000;
constexpr int kSweepsBetweenSolves = 10;

double SoftThreshold(double value, double by) {
  if (value > by) return value - by;
  return value < -by ? value + by : 0;
}

}  // namespace

LassoPath::LassoPath(const Matrix& x, const Vector& y) {
  RECKON_CHECK(x.rows() == y.size() && x.rows() >= 1);
  const auto rows = static_cast<double>(x.rows());
  columns_ = Standardise(x);
  const Standardised target = Standardise(y);
  y_mean_ = target.mean(0);
  y_deviation_ = target.deviation(0);
  const Matrix standard = std::move(columns_.x);
  correlation_ = standard.transpose() * standard / rows;
  moment_ = standard.transpose() * target.x.col(0) / rows;
}

std::vector<RidgePath::Solution> LassoPath::Solve(std::span<const double> alphas) const {
  std::vector<RidgePath::Solution> solutions(alphas.size());
  const auto finish = [&](const Vector& weights, RidgePath::Solution& solution) {
    solution.weights = y_deviation_ * columns_.Unscaled(weights);
    solution.intercept = y_mean_ - solution.weights.dot(columns_.mean);
  };
  Vector weights = Vector::Zero(moment_.size());
  double lowest = 1;
  for (const double alpha : alphas) {
    RECKON_CHECK(alpha > 0);
    lowest = std::min(lowest, alpha);
  }
  for (double grid = 1; grid >= lowest; grid /= 2) {
    if (grid < 1) Descend(grid, weights);
    for (size_t i = 0; i < alphas.size(); ++i) {
      if (alphas[i] <= grid / 2 || (alphas[i] > grid && grid < 1)) continue;
      Vector branch = weights;
      Descend(alphas[i], branch);
      finish(branch, solutions[i]);
    }
  }
  return solutions;
}

void LassoPath::Descend(double alpha, Vector& weights) const {
  // moment - correlation * weights, kept up to date.
  Vector gradient = moment_ - correlation_ * weights;
  for (int sweep = 1; sweep <= kMostSweeps; ++sweep) {
    double largest = 0;
    for (Index j = 0; j < weights.size(); ++j) {
      if (columns_.deviation(j) == 0) continue;
      const double next = SoftThreshold(gradient(j) + weights(j), alpha);
      const double change = next - weights(j);
      if (change == 0) continue;
      gradient -= change * correlation_.col(j);
      weights(j) = next;
      largest = std::max(largest, std::fabs(change));
    }
    if (largest < kTolerance) return;
    if (sweep % kSweepsBetweenSolves == 0 && SolveSettled(alpha, weights)) return;
  }
}

bool LassoPath::SolveSettled(double alpha, Vector& weights) const {
  std::vector<Index> active;
  for (Index j = 0; j < weights.size(); ++j) {
    if (weights(j) != 0) active.push_back(j);
  }
  if (active.empty()) return false;
  const Vector signs = weights(active).cwiseSign();
  const Eigen::LLT<Matrix> factor(correlation_(active, active));
  if (factor.info() != Eigen::Success) return false;
  const Vector solved = factor.solve(moment_(active) - alpha * signs);
  if (!((solved.array() * signs.array()) > 0).all()) return false;
  Vector whole = Vector::Zero(weights.size());
  whole(active) = solved;
  const Vector gradient = moment_ - correlation_ * whole;
  if (!(gradient.cwiseAbs().maxCoeff() <= alpha + kTolerance)) return false;
  weights = std::move(whole);
  return true;
}

}  // namespace reckon::numeric
