#include "numeric/stepwise.h"

#include <gtest/gtest.h>

#include "base/rng.h"
#include "numeric/student_t.h"

namespace reckon::numeric {
namespace {

TEST(StudentTest, AgreesWithTables) {
  EXPECT_NEAR(TwoSidedStudent(2, 10), 0.07338803477074037, 1e-12);
  EXPECT_NEAR(TwoSidedStudent(-0.5, 3), 0.651447964848151, 1e-12);
  EXPECT_NEAR(TwoSidedStudent(8, 30) / 6.265822475700759e-09, 1, 1e-9);
  EXPECT_EQ(TwoSidedStudent(0, 5), 1);
}

Matrix RandomColumns(uint64_t seed, Eigen::Index rows, Eigen::Index columns) {
  base::Rng rng(seed);
  Matrix x(rows, columns);
  for (double& cell : x.reshaped()) cell = rng.Normal();
  return x;
}

TEST(StepwiseTest, FindsTheColumnsThatCount) {
  const Matrix x = RandomColumns(5, 60, 10);
  const Vector noise = RandomColumns(6, 60, 1).col(0);
  const Vector y = 4 + (2 * x.col(1) - 3 * x.col(7) + 0.01 * noise).array();
  const auto solution = SolveStepwise(x, y, {.p_to_add = 1e-6, .p_to_remove = 1e-5});
  EXPECT_NEAR(solution.intercept, 4, 0.01);
  for (Eigen::Index j = 0; j < x.cols(); ++j) {
    EXPECT_NEAR(solution.weights(j), j == 1 ? 2 : (j == 7 ? -3 : 0), 0.01) << j;
    EXPECT_EQ(solution.weights(j) != 0, j == 1 || j == 7) << j;
  }
}

// The third column alone explains most, and nothing beside the first two.
TEST(StepwiseTest, ThrowsOutWhatOthersMakeNeedless) {
  Matrix x = RandomColumns(8, 80, 3);
  x.col(2) = x.col(0) + x.col(1) + 0.3 * x.col(2);
  const Vector noise = RandomColumns(9, 80, 1).col(0);
  const Vector y = x.col(0) + x.col(1) + 0.1 * noise;
  const auto solution = SolveStepwise(x, y, {});
  EXPECT_NEAR(solution.weights(0), 1, 0.05);
  EXPECT_NEAR(solution.weights(1), 1, 0.05);
  EXPECT_EQ(solution.weights(2), 0);
}

TEST(StepwiseTest, ThroughTheOriginWhenAsked) {
  const Matrix x = RandomColumns(2, 30, 2).array() + 5;
  const Vector y = 3 * x.col(0);
  const auto solution = SolveStepwise(x, y, {.intercept = false});
  EXPECT_EQ(solution.intercept, 0);
  EXPECT_NEAR(solution.weights(0), 3, 1e-9);
  EXPECT_EQ(solution.weights(1), 0);
}

TEST(StepwiseTest, TakesNothingWhenNothingCounts) {
  const auto solution =
      SolveStepwise(RandomColumns(1, 50, 3), RandomColumns(2, 50, 1).col(0), {.p_to_add = 1e-4});
  EXPECT_EQ(solution.weights.cwiseAbs().maxCoeff(), 0);
}

}  // namespace
}  // namespace reckon::numeric
