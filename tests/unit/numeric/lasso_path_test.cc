#include "numeric/lasso_path.h"

#include <cmath>

#include <gtest/gtest.h>

#include "base/rng.h"

namespace reckon::numeric {
namespace {

struct LassoProblem {
  Matrix x;
  Vector y;
};

LassoProblem RandomProblem(uint64_t seed, Eigen::Index rows, Eigen::Index columns) {
  base::Rng rng(seed);
  LassoProblem problem{Matrix(rows, columns), Vector(rows)};
  for (double& cell : problem.x.reshaped()) cell = rng.Normal();
  // Neighbours hang together, as forms of one column do.
  for (Eigen::Index j = 1; j < columns; ++j) problem.x.col(j) += 0.8 * problem.x.col(j - 1);
  for (Eigen::Index i = 0; i < rows; ++i) {
    problem.y(i) = 3 + 2 * problem.x(i, 0) - problem.x(i, columns - 1) + 0.3 * rng.Normal();
  }
  return problem;
}

// |gradient| <= alpha everywhere, and = alpha with the weight's sign where there is one.
TEST(LassoPathTest, SatisfiesTheKarushKuhnTuckerConditions) {
  const std::vector<double> alphas{0.3, 0.1, 0.01, 0.001};
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const LassoProblem problem = RandomProblem(seed, 40, 12);
    const Standardised z = Standardise(problem.x);
    const Standardised v = Standardise(problem.y);
    const auto solutions = LassoPath(problem.x, problem.y).Solve(alphas);
    for (size_t a = 0; a < alphas.size(); ++a) {
      const Vector weights = solutions[a].weights.cwiseProduct(z.deviation) / v.deviation(0);
      const Vector gradient = z.x.transpose() * (v.x.col(0) - z.x * weights) / 40;
      for (Eigen::Index j = 0; j < weights.size(); ++j) {
        EXPECT_LE(std::fabs(gradient(j)), alphas[a] + 1e-7) << seed;
        if (weights(j) != 0) {
          EXPECT_NEAR(gradient(j), std::copysign(alphas[a], weights(j)), 1e-7) << seed;
        }
      }
    }
  }
}

TEST(LassoPathTest, OrthogonalColumnsAreShrunkByAlpha) {
  Matrix x(4, 2);
  x << 1, 1, 1, -1, -1, 1, -1, -1;
  const Vector y = 10 + (3 * x.col(0) + 0.1 * x.col(1)).array();
  const double deviation = std::sqrt(3 * 3 + 0.1 * 0.1);
  const double alpha = 0.2;
  const auto solution = LassoPath(x, y).Solve(std::vector<double>{alpha})[0];
  EXPECT_NEAR(solution.weights(0), 3 - alpha * deviation, 1e-9);
  EXPECT_EQ(solution.weights(1), 0);
  EXPECT_NEAR(solution.intercept, 10, 1e-9);
}

TEST(LassoPathTest, AgreesWithScikitLearn) {
  Matrix x(8, 2);
  x << 1, 0.5, 2, -1, 3, 2, 4, 0, 5, 1, 6, -2, 7, 0.3, 8, 1.7;
  Vector y(8);
  y << 2.1, 3.9, 7.2, 7.8, 11.1, 11.0, 14.2, 17.3;
  const auto solution = LassoPath(x, y).Solve(std::vector<double>{0.1})[0];
  const double deviation = Standardise(y).deviation(0);
  const Vector weights = solution.weights.cwiseProduct(Standardise(x).deviation) / deviation;
  EXPECT_NEAR(weights(0), 0.88284824, 1e-7);
  EXPECT_NEAR(weights(1), 0.05609553, 1e-7);
}

TEST(LassoPathTest, APenaltyDoesNotDependOnTheOthers) {
  const LassoProblem problem = RandomProblem(7, 30, 9);
  const LassoPath path(problem.x, problem.y);
  const std::vector<double> alphas{0.001, 0.7, 0.05, 2, 0.05};
  const auto together = path.Solve(alphas);
  for (size_t a = 0; a < alphas.size(); ++a) {
    const auto alone = path.Solve(std::vector<double>{alphas[a]})[0];
    EXPECT_EQ(together[a].weights, alone.weights);
    EXPECT_EQ(together[a].intercept, alone.intercept);
  }
  EXPECT_EQ(together[3].weights.cwiseAbs().maxCoeff(), 0);
}

TEST(LassoPathTest, CopiesAndConstantsDoNoHarm) {
  LassoProblem problem = RandomProblem(3, 20, 4);
  problem.x.col(1) = problem.x.col(0);
  problem.x.col(2).setConstant(5);
  const auto solution = LassoPath(problem.x, problem.y).Solve(std::vector<double>{0.01})[0];
  EXPECT_EQ(solution.weights(2), 0);
  EXPECT_TRUE(solution.weights.allFinite());
}

}  // namespace
}  // namespace reckon::numeric
