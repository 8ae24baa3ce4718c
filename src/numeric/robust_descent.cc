#include "numeric/robust_descent.h"

#include <cmath>

#include <Eigen/Cholesky>

namespace reckon::numeric {
namespace {

constexpr int kMostSteps = 80;
constexpr int kMostAttempts = 12;
constexpr double kEnough = 1e-7;  // relative fall of the cost below which no step is worth taking

using Eigen::Index;

double CostOf(const RobustProblem& problem, const Vector& x, const Vector& residual) {
  const double delta = problem.huber;
  double cost = 0;
  for (Index i = 0; i < residual.size(); ++i) {
    cost += problem.weight(i) * delta * delta * (std::hypot(1, residual(i) / delta) - 1);
  }
  return cost + 0.5 * (problem.penalty.array() * (x - problem.prior).array().square()).sum();
}

class Solver {
 public:
  Solver(const RobustProblem& problem, const Vector& start) : problem_(problem), x_(start) {}

  RobustMinimum Solve() {
    double cost = Cost(x_);
    double damping = 1e-2;
    for (int step = 0; step < kMostSteps; ++step) {
      Linearise();
      bool moved = false;
      double fall = 0;
      for (int attempt = 0; attempt < kMostAttempts && !moved; ++attempt) {
        const Vector next = Step(damping);
        const double next_cost = Cost(next);
        if (std::isfinite(next_cost) && next_cost < cost) {
          fall = cost - next_cost;
          x_ = next;
          cost = next_cost;
          damping = std::max(damping / 4, 1e-9);
          moved = true;
        } else {
          damping *= 5;
        }
      }
      if (!moved || fall < kEnough * (cost + 1e-12)) break;
    }
    return {x_, cost};
  }

 private:
  double Cost(const Vector& x) {
    problem_.residuals(x, residual_, nullptr);
    return CostOf(problem_, x, residual_);
  }

  // The Gauss-Newton system at x_.
  void Linearise() {
    problem_.residuals(x_, residual_, &jacobian_);
    Vector root(residual_.size());
    for (Index i = 0; i < root.size(); ++i) {
      root(i) = std::sqrt(problem_.weight(i) / std::hypot(1, residual_(i) / problem_.huber));
    }
    for (Index j = 0; j < jacobian_.cols(); ++j) jacobian_.col(j).array() *= root.array();
    hessian_ = Matrix::Zero(x_.size(), x_.size());
    hessian_.selfadjointView<Eigen::Lower>().rankUpdate(jacobian_.transpose());
    hessian_.triangularView<Eigen::StrictlyUpper>() = hessian_.transpose();
    hessian_.diagonal() += problem_.penalty;
    gradient_ = jacobian_.transpose() * (root.array() * residual_.array()).matrix();
    gradient_ += (problem_.penalty.array() * (x_ - problem_.prior).array()).matrix();
  }

  Vector Step(double damping) const {
    Matrix system = hessian_;
    Vector right = -gradient_;
    for (Index j = 0; j < x_.size(); ++j) {
      system(j, j) += damping * (hessian_(j, j) + 1e-6);
      const bool held = (x_(j) <= problem_.lower(j) && gradient_(j) > 0) ||
                        (x_(j) >= problem_.upper(j) && gradient_(j) < 0);
      if (!held) continue;
      system.row(j).setZero();
      system.col(j).setZero();
      system(j, j) = 1;
      right(j) = 0;
    }
    const Vector step = system.ldlt().solve(right);
    return (x_ + step).cwiseMax(problem_.lower).cwiseMin(problem_.upper);
  }

  const RobustProblem& problem_;
  Vector x_;
  Vector residual_;
  Matrix jacobian_;
  Matrix hessian_;
  Vector gradient_;
};

}  // namespace

double RobustCost(const RobustProblem& problem, const Vector& x) {
  Vector residual;
  problem.residuals(x, residual, nullptr);
  return CostOf(problem, x, residual);
}

RobustMinimum Descend(const RobustProblem& problem, const Vector& start) {
  return Solver(problem, start).Solve();
}

}  // namespace reckon::numeric
