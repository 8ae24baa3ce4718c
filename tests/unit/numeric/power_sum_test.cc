#include "numeric/power_sum.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/rng.h"
#include "numeric/stats.h"

namespace reckon::numeric {
namespace {

// log y of a * w^-1 * s + b, the terms' inputs being 1, log w, log s.
PowerSumProblem WorkAndOverhead(double noise) {
  base::Rng rng(5);
  PowerSumProblem problem;
  std::vector<std::array<double, 3>> rows;
  for (const double w : {1, 2, 4, 8, 16, 32}) {
    for (const double s : {1, 3, 10}) rows.push_back({w, s, 40 * s / w + 6});
  }
  const auto n = static_cast<Eigen::Index>(rows.size());
  problem.terms.resize(n, 3);
  problem.shared.resize(n, 0);
  problem.target.resize(n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto& [w, s, y] = rows[static_cast<size_t>(i)];
    problem.terms.row(i) << 1, std::log(w), std::log(s);
    problem.target(i) = std::log(y) + noise * rng.Normal();
  }
  problem.weight = Vector::Ones(n);
  problem.count = 2;
  problem.prior = Matrix::Zero(2, 3);
  problem.penalty = Matrix::Constant(2, 3, 1e-6);
  problem.lower = Matrix::Constant(2, 3, -20);
  problem.upper = Matrix::Constant(2, 3, 20);
  return problem;
}

Matrix Start() {
  Matrix start(2, 3);
  start << 2, -0.7, 0.5, 1, 0.1, 0.1;
  return start;
}

TEST(PowerSumTest, FindsTheTwoPartsOfATime) {
  const PowerSum fit = FitPowerSum(WorkAndOverhead(0), Start());
  EXPECT_NEAR(std::exp(fit.weights(0, 0)), 40, 0.5);
  EXPECT_NEAR(fit.weights(0, 1), -1, 0.02);
  EXPECT_NEAR(fit.weights(0, 2), 1, 0.02);
  EXPECT_NEAR(std::exp(fit.weights(1, 0)), 6, 0.3);
  EXPECT_NEAR(fit.weights(1, 1), 0, 0.05);
  Matrix far(1, 3);
  far << 1, std::log(256.0), std::log(10.0);
  EXPECT_NEAR(std::exp(fit.Evaluate(far, Matrix(1, 0))(0)), 400.0 / 256 + 6, 0.5);
}

TEST(PowerSumTest, BoundsHold) {
  PowerSumProblem problem = WorkAndOverhead(0.05);
  problem.lower.col(1).setConstant(-0.5);
  problem.upper.col(1).setConstant(0.2);
  Matrix start = Start();
  start(0, 1) = -0.5;
  const PowerSum fit = FitPowerSum(problem, start);
  for (Eigen::Index k = 0; k < 2; ++k) {
    EXPECT_GE(fit.weights(k, 1), -0.5);
    EXPECT_LE(fit.weights(k, 1), 0.2);
  }
}

TEST(PowerSumTest, APenaltyPullsToThePrior) {
  PowerSumProblem problem = WorkAndOverhead(0.02);
  problem.penalty.setConstant(1e9);
  problem.prior.setConstant(0.25);
  const PowerSum fit = FitPowerSum(problem, Start());
  EXPECT_LT((fit.weights.array() - 0.25).abs().maxCoeff(), 1e-3);
}

TEST(PowerSumTest, OneWildRowDoesNotDecide) {
  PowerSumProblem problem = WorkAndOverhead(0);
  problem.target(7) += 3;
  const PowerSum fit = FitPowerSum(problem, Start());
  const Vector f = fit.Evaluate(problem.terms, problem.shared);
  for (Eigen::Index i = 0; i < f.size(); ++i) {
    if (i == 7) continue;
    EXPECT_NEAR(f(i), problem.target(i), 0.15) << i;
  }
}

TEST(PowerSumTest, AGreatSharpnessIsAMaximum) {
  PowerSum sum;
  sum.weights = Matrix(2, 1);
  sum.weights << 1, 3;
  sum.sharpness = 200;
  EXPECT_NEAR(sum.Evaluate(Matrix::Ones(1, 1), Matrix(1, 0))(0), 3, 1e-9);
}

TEST(RankCorrelationTest, LooksAtOrderAlone) {
  const std::vector<double> a{1, 2, 3, 4};
  EXPECT_DOUBLE_EQ(RankCorrelation(a, std::vector<double>{1, 10, 100, 1e6}), 1);
  EXPECT_DOUBLE_EQ(RankCorrelation(a, std::vector<double>{4, 3, 2, 1}), -1);
  EXPECT_DOUBLE_EQ(RankCorrelation(a, std::vector<double>{7, 7, 7, 7}), 0);
  // Ranks 1.5, 1.5, 3, 4 against 1, 2, 3, 4.
  EXPECT_NEAR(RankCorrelation(a, std::vector<double>{5, 5, 6, 7}), 0.9486832980505138, 1e-12);
}

}  // namespace
}  // namespace reckon::numeric
