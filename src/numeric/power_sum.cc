#include "numeric/power_sum.h"

#include <cmath>

#include <Eigen/Cholesky>

namespace reckon::numeric {
namespace {

constexpr int kMostSteps = 80;
constexpr double kEnough = 1e-7;  // relative fall of the cost below which no step is worth taking

using Eigen::Index;

// log of the p-norm of the terms, and each term's share in it.
Vector LogNorm(const Matrix& u, double p, Matrix* share) {
  Vector f(u.rows());
  if (share != nullptr) share->resize(u.rows(), u.cols());
  for (Index i = 0; i < u.rows(); ++i) {
    const double top = u.row(i).maxCoeff();
    double sum = 0;
    for (Index k = 0; k < u.cols(); ++k) sum += std::exp(p * (u(i, k) - top));
    f(i) = top + std::log(sum) / p;
    if (share == nullptr) continue;
    for (Index k = 0; k < u.cols(); ++k) {
      (*share)(i, k) = std::exp(p * (u(i, k) - top)) / sum;
    }
  }
  return f;
}

class Solver {
 public:
  Solver(const PowerSumProblem& problem, const Matrix& start)
      : problem_(problem),
        d_(problem.terms.cols()),
        e_(problem.shared.cols()),
        size_(problem.count * d_ + e_) {
    theta_ = Vector::Zero(size_);
    prior_ = Vector::Zero(size_);
    penalty_ = Vector::Constant(size_, problem.shared_penalty);
    lower_ = Vector::Constant(size_, -50);
    upper_ = Vector::Constant(size_, 50);
    for (Index k = 0; k < problem.count; ++k) {
      theta_.segment(k * d_, d_) = start.row(k);
      prior_.segment(k * d_, d_) = problem.prior.row(k);
      penalty_.segment(k * d_, d_) = problem.penalty.row(k);
      lower_.segment(k * d_, d_) = problem.lower.row(k);
      upper_.segment(k * d_, d_) = problem.upper.row(k);
    }
  }

  PowerSum Solve() {
    double cost = Cost(theta_);
    double damping = 1e-2;
    for (int step = 0; step < kMostSteps; ++step) {
      Linearise();
      bool moved = false;
      double fall = 0;
      for (int attempt = 0; attempt < 12 && !moved; ++attempt) {
        const Vector next = Step(damping);
        const double next_cost = Cost(next);
        if (std::isfinite(next_cost) && next_cost < cost) {
          fall = cost - next_cost;
          theta_ = next;
          cost = next_cost;
          damping = std::max(damping / 4, 1e-9);
          moved = true;
        } else {
          damping *= 5;
        }
      }
      if (!moved || fall < kEnough * (cost + 1e-12)) break;
    }
    PowerSum out;
    out.weights.resize(problem_.count, d_);
    for (Index k = 0; k < problem_.count; ++k) out.weights.row(k) = theta_.segment(k * d_, d_);
    out.shared = theta_.tail(e_);
    out.sharpness = problem_.sharpness;
    out.cost = cost;
    return out;
  }

 private:
  Matrix TermValues(const Vector& theta) const {
    Matrix u(problem_.terms.rows(), problem_.count);
    for (Index k = 0; k < problem_.count; ++k) {
      u.col(k).noalias() = problem_.terms * theta.segment(k * d_, d_);
    }
    return u;
  }

  Vector Residuals(const Vector& theta, Matrix* share) const {
    Vector f = LogNorm(TermValues(theta), problem_.sharpness, share);
    if (e_ > 0) f += problem_.shared * theta.tail(e_);
    return f - problem_.target;
  }

  double Cost(const Vector& theta) const {
    const Vector r = Residuals(theta, nullptr);
    const double delta = problem_.huber;
    double cost = 0;
    for (Index i = 0; i < r.size(); ++i) {
      cost += problem_.weight(i) * delta * delta * (std::hypot(1, r(i) / delta) - 1);
    }
    return cost + 0.5 * (penalty_.array() * (theta - prior_).array().square()).sum();
  }

  // The Gauss-Newton system at theta_.
  void Linearise() {
    Matrix share;
    const Vector r = Residuals(theta_, &share);
    Matrix jacobian(r.size(), size_);
    Vector root(r.size());
    for (Index i = 0; i < r.size(); ++i) {
      root(i) = std::sqrt(problem_.weight(i) / std::hypot(1, r(i) / problem_.huber));
    }
    for (Index k = 0; k < problem_.count; ++k) {
      jacobian.middleCols(k * d_, d_) =
          (root.array() * share.col(k).array()).matrix().asDiagonal() * problem_.terms;
    }
    if (e_ > 0) jacobian.rightCols(e_) = root.asDiagonal() * problem_.shared;
    hessian_ = Matrix::Zero(size_, size_);
    hessian_.selfadjointView<Eigen::Lower>().rankUpdate(jacobian.transpose());
    hessian_.triangularView<Eigen::StrictlyUpper>() = hessian_.transpose();
    hessian_.diagonal() += penalty_;
    gradient_ = jacobian.transpose() * (root.array() * r.array()).matrix();
    gradient_ += (penalty_.array() * (theta_ - prior_).array()).matrix();
  }

  Vector Step(double damping) const {
    Matrix system = hessian_;
    Vector right = -gradient_;
    for (Index j = 0; j < size_; ++j) {
      system(j, j) += damping * (hessian_(j, j) + 1e-6);
      const bool held = (theta_(j) <= lower_(j) && gradient_(j) > 0) ||
                        (theta_(j) >= upper_(j) && gradient_(j) < 0);
      if (!held) continue;
      system.row(j).setZero();
      system.col(j).setZero();
      system(j, j) = 1;
      right(j) = 0;
    }
    const Vector step = system.ldlt().solve(right);
    return (theta_ + step).cwiseMax(lower_).cwiseMin(upper_);
  }

  const PowerSumProblem& problem_;
  Index d_;
  Index e_;
  Index size_;
  Vector theta_;
  Vector prior_;
  Vector penalty_;
  Vector lower_;
  Vector upper_;
  Matrix hessian_;
  Vector gradient_;
};

}  // namespace

Vector PowerSum::Evaluate(const Matrix& terms, const Matrix& other) const {
  Vector f = LogNorm(terms * weights.transpose(), sharpness, nullptr);
  if (shared.size() > 0) f += other * shared;
  return f;
}

PowerSum FitPowerSum(const PowerSumProblem& problem, const Matrix& start) {
  return Solver(problem, start).Solve();
}

}  // namespace reckon::numeric
