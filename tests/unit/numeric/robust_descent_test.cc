#include "numeric/robust_descent.h"

#include <cmath>

#include <gtest/gtest.h>

namespace reckon::numeric {
namespace {

// y = a exp(b t) for t = 0, 1, ... 9, in residuals of log y with a and b as they are.
RobustProblem Exponential(const Vector& y) {
  RobustProblem problem;
  problem.weight = Vector::Ones(y.size());
  problem.prior = Vector::Zero(2);
  problem.penalty = Vector::Zero(2);
  problem.lower = Vector::Zero(2);
  problem.upper = Vector::Constant(2, 10);
  problem.residuals = [y](const Vector& x, Vector& residual, Matrix* jacobian) {
    const Vector t = Vector::LinSpaced(y.size(), 0, static_cast<double>(y.size() - 1));
    residual = (std::log(std::max(x(0), 1e-12)) + x(1) * t.array() - y.array().log()).matrix();
    if (jacobian == nullptr) return;
    jacobian->resize(y.size(), 2);
    jacobian->col(0).setConstant(1 / std::max(x(0), 1e-12));
    jacobian->col(1) = t;
  };
  return problem;
}

Vector Truth(double a, double b) {
  const Vector t = Vector::LinSpaced(10, 0, 9);
  return (a * (b * t.array()).exp()).matrix();
}

TEST(RobustDescentTest, FindsWhatMadeTheData) {
  const RobustProblem problem = Exponential(Truth(2, 0.3));
  const Vector start = Vector::Constant(2, 1);
  const RobustMinimum found = Descend(problem, start);
  EXPECT_NEAR(found.x(0), 2, 1e-5);
  EXPECT_NEAR(found.x(1), 0.3, 1e-5);
  EXPECT_LT(found.cost, RobustCost(problem, start));
  EXPECT_DOUBLE_EQ(found.cost, RobustCost(problem, found.x));
}

TEST(RobustDescentTest, OneOutlierDoesNotBendIt) {
  Vector y = Truth(2, 0.3);
  y(7) *= 20;
  const RobustMinimum found = Descend(Exponential(y), Vector::Constant(2, 1));
  EXPECT_NEAR(found.x(1), 0.3, 0.03);
}

TEST(RobustDescentTest, BoundsHoldAndPenaltiesPull) {
  RobustProblem problem = Exponential(Truth(2, -0.3));  // below what b may be
  EXPECT_EQ(Descend(problem, Vector::Constant(2, 1)).x(1), 0);
  problem = Exponential(Truth(2, 0.3));
  problem.penalty(1) = 1e6;
  problem.prior(1) = 0.1;
  EXPECT_NEAR(Descend(problem, Vector::Constant(2, 1)).x(1), 0.1, 1e-3);
}

}  // namespace
}  // namespace reckon::numeric
