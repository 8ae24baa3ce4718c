#include "numeric/nnls.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace reckon::numeric {
namespace {

Matrix RandomColumns(Eigen::Index rows, Eigen::Index columns, base::Rng& rng) {
  Matrix a(rows, columns);
  for (double& cell : a.reshaped()) cell = rng.Normal();
  return a;
}

TEST(NnlsTest, FindsNonNegativeTruth) {
  base::Rng rng(1);
  const Matrix a = RandomColumns(40, 4, rng).cwiseAbs();
  const Vector truth{{3.0, 0.0, 0.5, 2.0}};
  const Vector x = SolveNnls(a, a * truth).value();
  EXPECT_LT((x - truth).norm(), 1e-9);
}

// The conditions of Karush, Kuhn and Tucker tell the optimum of a convex problem from anything
// else.
TEST(NnlsTest, SatisfiesOptimalityConditionsOnRandomProblems) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    base::Rng rng(seed);
    const auto rows = static_cast<Eigen::Index>(2 + rng.Below(40));
    const auto columns = static_cast<Eigen::Index>(1 + rng.Below(12));
    Matrix a = RandomColumns(rows, columns, rng);
    if (columns > 2 && seed % 3 == 0) a.col(1) = a.col(0) * 2;  // dependent columns
    if (seed % 7 == 0) a.col(0).setZero();
    const Vector b = RandomColumns(rows, 1, rng);
    const auto solved = SolveNnls(a, b);
    ASSERT_TRUE(solved.ok()) << seed;
    const Vector& x = *solved;
    const Vector gradient = a.transpose() * (b - a * x);
    for (Eigen::Index j = 0; j < columns; ++j) {
      EXPECT_GE(x(j), 0) << seed;
      EXPECT_LE(gradient(j), 1e-7) << seed << " column " << j;
      if (x(j) > 1e-9) {
        EXPECT_NEAR(gradient(j), 0, 1e-7) << seed << " column " << j;
      }
    }
  }
}

TEST(NnlsTest, ColumnsOfVeryDifferentSizeAreNoProblem) {
  Matrix a(4, 2);
  a << 1, 1e-9, 1, 2e-9, 1, 4e-9, 1, 8e-9;
  const Vector truth{{5.0, 1e10}};
  const Vector x = SolveNnls(a, a * truth).value();
  EXPECT_NEAR(x(0), 5, 1e-6);
  EXPECT_NEAR(x(1), 1e10, 1e4);
}

}  // namespace
}  // namespace reckon::numeric
