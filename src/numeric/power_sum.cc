#include "numeric/power_sum.h"

#include <cmath>

#include "numeric/robust_descent.h"

namespace reckon::numeric {
namespace {

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

// The weights of all terms, one after the other, then the shared ones.
RobustProblem ToRobust(const PowerSumProblem& problem) {
  const Index d = problem.terms.cols();
  const Index e = problem.shared.cols();
  const Index size = problem.count * d + e;
  RobustProblem robust;
  robust.weight = problem.weight;
  robust.huber = problem.huber;
  robust.prior = Vector::Zero(size);
  robust.penalty = Vector::Constant(size, problem.shared_penalty);
  robust.lower = Vector::Constant(size, -50);
  robust.upper = Vector::Constant(size, 50);
  for (Index k = 0; k < problem.count; ++k) {
    robust.prior.segment(k * d, d) = problem.prior.row(k);
    robust.penalty.segment(k * d, d) = problem.penalty.row(k);
    robust.lower.segment(k * d, d) = problem.lower.row(k);
    robust.upper.segment(k * d, d) = problem.upper.row(k);
  }
  robust.residuals = [&problem, d, e, size](const Vector& theta, Vector& residual,
                                            Matrix* jacobian) {
    Matrix u(problem.terms.rows(), problem.count);
    for (Index k = 0; k < problem.count; ++k) {
      u.col(k).noalias() = problem.terms * theta.segment(k * d, d);
    }
    Matrix share;
    residual = LogNorm(u, problem.sharpness, jacobian == nullptr ? nullptr : &share);
    if (e > 0) residual += problem.shared * theta.tail(e);
    residual -= problem.target;
    if (jacobian == nullptr) return;
    jacobian->resize(residual.size(), size);
    for (Index k = 0; k < problem.count; ++k) {
      jacobian->middleCols(k * d, d) = share.col(k).asDiagonal() * problem.terms;
    }
    if (e > 0) jacobian->rightCols(e) = problem.shared;
  };
  return robust;
}

}  // namespace

Vector PowerSum::Evaluate(const Matrix& terms, const Matrix& other) const {
  Vector f = LogNorm(terms * weights.transpose(), sharpness, nullptr);
  if (shared.size() > 0) f += other * shared;
  return f;
}

PowerSum FitPowerSum(const PowerSumProblem& problem, const Matrix& start) {
  const Index d = problem.terms.cols();
  Vector theta = Vector::Zero(problem.count * d + problem.shared.cols());
  for (Index k = 0; k < problem.count; ++k) theta.segment(k * d, d) = start.row(k);
  const RobustMinimum found = Descend(ToRobust(problem), theta);
  PowerSum out;
  out.weights.resize(problem.count, d);
  for (Index k = 0; k < problem.count; ++k) out.weights.row(k) = found.x.segment(k * d, d);
  out.shared = found.x.tail(problem.shared.cols());
  out.sharpness = problem.sharpness;
  out.cost = found.cost;
  return out;
}

}  // namespace reckon::numeric
