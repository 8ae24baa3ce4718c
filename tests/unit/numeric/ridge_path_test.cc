#include "numeric/ridge_path.h"

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "base/rng.h"

namespace reckon::numeric {
namespace {

TEST(RidgePathTest, AgreesWithTheNormalEquations) {
  base::Rng rng(3);
  Matrix x(30, 4);
  for (double& cell : x.reshaped()) cell = 5 + 2 * rng.Normal();
  Vector y(30);
  for (double& cell : y) cell = rng.Normal();
  const RidgePath path(x, y);
  for (const double alpha : {1e-6, 0.1, 10.0}) {
    const RidgePath::Solution solution = path.Solve(alpha);
    // Standardise by hand and solve (X'X/n + alpha I) w = X'y/n.
    const Matrix centred = x.rowwise() - x.colwise().mean();
    const Vector deviation = (centred.colwise().squaredNorm() / 30).cwiseSqrt();
    const Matrix z = centred * deviation.cwiseInverse().asDiagonal();
    const Matrix lhs = z.transpose() * z / 30 + alpha * Matrix::Identity(4, 4);
    const Vector w = lhs.ldlt().solve(z.transpose() * (y.array() - y.mean()).matrix() / 30);
    const Vector expected = w.cwiseQuotient(deviation);
    EXPECT_LT((solution.weights - expected).norm(), 1e-9) << alpha;
    EXPECT_NEAR(solution.intercept, y.mean() - expected.dot(x.colwise().mean()), 1e-9);
  }
}

TEST(RidgePathTest, WithoutColumnsTheMeanIsAllThereIs) {
  const RidgePath::Solution solution = RidgePath(Matrix(3, 0), Vector{{1, 2, 6}}).Solve(1);
  EXPECT_EQ(solution.weights.size(), 0);
  EXPECT_EQ(solution.intercept, 3);
}

TEST(RidgePathTest, ConstantAndRepeatedColumnsAreHarmless) {
  Matrix x(5, 3);
  x << 1, 7, 1, 2, 7, 2, 3, 7, 3, 4, 7, 4, 5, 7, 5;
  const Vector y{{2.0, 4.0, 6.0, 8.0, 10.0}};
  const RidgePath::Solution solution = RidgePath(x, y).Solve(1e-9);
  EXPECT_EQ(solution.weights(1), 0);
  EXPECT_NEAR(solution.weights(0) + solution.weights(2), 2, 1e-6);
  EXPECT_NEAR(solution.weights(0), solution.weights(2), 1e-6);
}

TEST(RidgePathTest, LargePenaltyLeavesTheMean) {
  Matrix x(3, 1);
  x << 1, 2, 3;
  const RidgePath::Solution solution = RidgePath(x, Vector{{1.0, 5.0, 9.0}}).Solve(1e12);
  EXPECT_NEAR(solution.weights(0), 0, 1e-9);
  EXPECT_NEAR(solution.intercept, 5, 1e-9);
}

}  // namespace
}  // namespace reckon::numeric
