#include "numeric/forward_selection.h"

#include <algorithm>
#include <limits>

#include <Eigen/QR>
#include <gtest/gtest.h>

#include "base/rng.h"

namespace reckon::numeric {
namespace {

using Index = Eigen::Index;

struct Problem {
  Matrix x;
  Vector y;
  std::vector<FoldRows> folds;
};

Problem MakeProblem(uint64_t seed, Index rows, Index columns, Index folds) {
  base::Rng rng(seed);
  Problem problem{Matrix(rows, columns), Vector(rows), std::vector<FoldRows>(folds)};
  for (double& cell : problem.x.reshaped()) cell = 100 + rng.Normal();
  problem.x.col(1) = 0.7 * problem.x.col(0) + 0.3 * problem.x.col(1);
  for (Index i = 0; i < rows; ++i) {
    problem.y(i) = problem.x(i, 0) - 2 * problem.x(i, 2) + 0.5 * rng.Normal();
    for (Index f = 0; f < folds; ++f) {
      (i % folds == f ? problem.folds[f].test : problem.folds[f].train).push_back(i);
    }
  }
  return problem;
}

double BruteForceError(const Problem& problem, const std::vector<Index>& columns) {
  double error = 0;
  for (const FoldRows& fold : problem.folds) {
    const auto design = [&](const std::vector<Index>& rows) {
      Matrix a(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()) + 1);
      a << Vector::Ones(a.rows()), problem.x(rows, columns);
      return a;
    };
    const Vector weights =
        design(fold.train).colPivHouseholderQr().solve(Vector(problem.y(fold.train)));
    error += (problem.y(fold.test) - design(fold.test) * weights).squaredNorm();
  }
  return error;
}

std::vector<Index> BruteForce(const Problem& problem, size_t most) {
  std::vector<Index> order;
  std::vector<Index> best;
  double best_error = std::numeric_limits<double>::infinity();
  while (order.size() < most) {
    Index next = -1;
    double next_error = std::numeric_limits<double>::infinity();
    for (Index j = 0; j < problem.x.cols(); ++j) {
      if (std::find(order.begin(), order.end(), j) != order.end()) continue;
      std::vector<Index> with = order;
      with.push_back(j);
      const double error = BruteForceError(problem, with);
      if (error < next_error) {
        next_error = error;
        next = j;
      }
    }
    order.push_back(next);
    if (next_error < best_error) {
      best_error = next_error;
      best = order;
    }
  }
  return best;
}

TEST(ForwardSelectionTest, ChoosesLikeBruteForce) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Problem problem = MakeProblem(seed, 40, 8, 4);
    EXPECT_EQ(SelectForward(problem.x, problem.y, problem.folds, 6), BruteForce(problem, 6))
        << seed;
  }
}

TEST(ForwardSelectionTest, CopiesAndConstantsAreLeftAlone) {
  Problem problem = MakeProblem(3, 30, 5, 3);
  problem.x.col(3) = problem.x.col(0);
  problem.x.col(4).setConstant(1);
  const auto chosen = SelectForward(problem.x, problem.y, problem.folds, 5);
  EXPECT_EQ(std::count(chosen.begin(), chosen.end(), 4), 0);
  EXPECT_LE(
      std::count(chosen.begin(), chosen.end(), 0) + std::count(chosen.begin(), chosen.end(), 3), 1);
}

}  // namespace
}  // namespace reckon::numeric
