#include "numeric/box_least_squares.h"

#include <gtest/gtest.h>

#include "base/rng.h"

namespace reckon::numeric {
namespace {

Matrix RandomMatrix(Eigen::Index rows, Eigen::Index columns, base::Rng& rng) {
  Matrix a(rows, columns);
  for (double& cell : a.reshaped()) cell = rng.Normal();
  return a;
}

// The conditions of Karush, Kuhn and Tucker tell the optimum of a convex problem from anything
// else.
TEST(BoxLeastSquaresTest, SatisfiesOptimalityConditionsOnRandomProblems) {
  BoxLeastSquares solver;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    base::Rng rng(seed);
    const auto rows = static_cast<Eigen::Index>(2 + rng.Below(40));
    const auto columns = static_cast<Eigen::Index>(1 + rng.Below(14));
    Matrix a = RandomMatrix(rows, columns, rng);
    if (columns > 2 && seed % 3 == 0) a.col(1) = a.col(0) * 2;  // dependent columns
    if (seed % 7 == 0) a.col(0).setZero();
    if (seed % 4 == 0) a.col(columns - 1) *= 1e6;
    const Vector b = 3 * RandomMatrix(rows, 1, rng);
    const Vector low = seed % 2 == 0 ? Vector::Zero(columns).eval()
                                     : Vector(-RandomMatrix(columns, 1, rng).cwiseAbs());
    const Vector high = low + RandomMatrix(columns, 1, rng).cwiseAbs() * (seed % 5 == 0 ? 100 : 1);
    Vector x = RandomMatrix(columns, 1, rng);
    const Matrix gram = a.transpose() * a;
    solver.Solve(gram, a.transpose() * b, low, high, x);
    const Vector gradient = a.transpose() * (b - a * x);
    for (Eigen::Index j = 0; j < columns; ++j) {
      const double tolerance = 1e-7 * (1 + a.col(j).norm());
      EXPECT_GE(x(j), low(j)) << seed;
      EXPECT_LE(x(j), high(j)) << seed;
      if (x(j) > low(j)) {
        EXPECT_GE(gradient(j), -tolerance) << seed << " column " << j;
      }
      if (x(j) < high(j)) {
        EXPECT_LE(gradient(j), tolerance) << seed << " column " << j;
      }
    }
  }
}

TEST(BoxLeastSquaresTest, TheStartDoesNotMatter) {
  base::Rng rng(4);
  const Matrix a = RandomMatrix(30, 6, rng);
  const Vector b = RandomMatrix(30, 1, rng);
  const Vector low = Vector::Zero(6);
  const Vector high = Vector::Constant(6, 0.2);
  BoxLeastSquares solver;
  Vector from_below = low;
  Vector from_above = high;
  solver.Solve(a.transpose() * a, a.transpose() * b, low, high, from_below);
  solver.Solve(a.transpose() * a, a.transpose() * b, low, high, from_above);
  EXPECT_LT((from_below - from_above).norm(), 1e-9);
}

}  // namespace
}  // namespace reckon::numeric
