#include "numeric/differential_evolution.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include <gmock/gmock.h>

namespace reckon::numeric {
namespace {

double Sphere(const Vector& x) { return (x.array() - 0.3).square().sum(); }

double Rosenbrock(const Vector& x) {
  double sum = 0;
  for (Eigen::Index i = 0; i + 1 < x.size(); ++i) {
    sum += 100 * std::pow(x(i + 1) - x(i) * x(i), 2) + std::pow(1 - x(i), 2);
  }
  return sum;
}

// Some 10^n local minima; the global one is at 0.
double Rastrigin(const Vector& x) {
  return (x.array().square() - 10 * (2 * std::numbers::pi * x.array()).cos() + 10).sum();
}

std::vector<Bounds> Cube(size_t parameters, double low, double high) {
  return std::vector<Bounds>(parameters, {low, high});
}

EvolutionOptions Tight() { return {.max_generations = 3000, .relative_tolerance = 1e-8}; }

TEST(DrawDonorsTest, DonorsDifferFromEachOtherAndFromTheTarget) {
  base::Rng rng(1);
  for (size_t count = 4; count <= 40; ++count) {
    std::vector<size_t> drawn(count, 0);
    for (int trial = 0; trial < 3000; ++trial) {
      const size_t target = rng.Below(count);
      std::array<size_t, 3> donors{};
      const size_t wanted = 2 + rng.Below(2);
      DrawDonors(count, target, rng, std::span(donors).first(wanted));
      std::set<size_t> all{target};
      for (size_t k = 0; k < wanted; ++k) {
        ASSERT_LT(donors[k], count);
        ASSERT_TRUE(all.insert(donors[k]).second);
        ++drawn[donors[k]];
      }
    }
    // Every index gets its turn: 2.5 * 3000 / count on average, at least 187.
    EXPECT_GT(*std::min_element(drawn.begin(), drawn.end()), 4500 / count) << count;
  }
}

TEST(LatinHypercubeTest, EverySliceOfEveryParameterHasOnePoint) {
  base::Rng rng(7);
  const std::vector<Bounds> bounds{{-5, 5}, {0, 1000}, {2, 2}};
  constexpr size_t kMembers = 37;
  const Matrix points = LatinHypercube(bounds, kMembers, rng);
  for (size_t j = 0; j < 2; ++j) {
    std::set<size_t> slices;
    for (const double value : points.row(static_cast<Eigen::Index>(j))) {
      const double share = (value - bounds[j].low) / (bounds[j].high - bounds[j].low);
      slices.insert(static_cast<size_t>(share * kMembers));
    }
    EXPECT_EQ(slices.size(), kMembers);
  }
  EXPECT_TRUE((points.row(2).array() == 2).all());
}

TEST(EvolveTest, FindsKnownMinima) {
  const auto sphere = Evolve(Sphere, Cube(4, -5, 5), Tight(), base::Rng(3), {});
  EXPECT_LT((sphere.best.array() - 0.3).abs().maxCoeff(), 1e-3);
  EXPECT_TRUE(sphere.converged);
  const auto valley = Evolve(Rosenbrock, Cube(3, -5, 5), Tight(), base::Rng(3), {});
  EXPECT_LT((valley.best.array() - 1).abs().maxCoeff(), 1e-3);
  const auto waves = Evolve(Rastrigin, Cube(5, -5.12, 5.12), Tight(), base::Rng(3), {});
  EXPECT_LT(waves.best.cwiseAbs().maxCoeff(), 1e-3);
}

TEST(EvolveTest, FindsAMinimumOnTheBounds) {
  const auto slope = [](const Vector& x) { return x.sum(); };
  const auto found = Evolve(slope, Cube(3, -2, 7), Tight(), base::Rng(3), {});
  EXPECT_NEAR(found.cost, -6, 1e-3);
}

TEST(EvolveTest, BestCostNeverRisesAndPointsStayInside) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    base::Rng rng(seed);
    std::vector<Bounds> bounds;
    const size_t parameters = 1 + rng.Below(5);
    for (size_t j = 0; j < parameters; ++j) {
      const double low = 10 * rng.Normal();
      bounds.push_back({low, low + (seed % 5 == 0 && j == 0 ? 0 : 8 * rng.Uniform())});
    }
    const EvolutionOptions options{.max_generations = 25, .relative_tolerance = 0};
    bool inside = true;
    double smallest = std::numeric_limits<double>::infinity();
    const auto cost = [&](const Vector& x) {
      for (size_t j = 0; j < parameters; ++j) {
        const double value = x(static_cast<Eigen::Index>(j));
        inside = inside && value >= bounds[j].low && value <= bounds[j].high;
      }
      const double value = Rastrigin(x);
      smallest = std::min(smallest, value);
      return value;
    };
    double last = std::numeric_limits<double>::infinity();
    const auto watch = [&](size_t, double best) {
      EXPECT_LE(best, last) << seed;
      EXPECT_EQ(best, smallest) << seed;
      last = best;
      return true;
    };
    const auto found = Evolve(cost, bounds, options, rng, {}, watch);
    EXPECT_TRUE(inside) << seed;
    EXPECT_EQ(found.cost, smallest) << seed;
    EXPECT_EQ(found.cost, Rastrigin(found.best)) << seed;
    EXPECT_EQ(found.costs.minCoeff(), found.cost) << seed;
  }
}

TEST(EvolveTest, TheSeedFixesTheRun) {
  const auto run = [](uint64_t seed) {
    return Evolve(Rastrigin, Cube(3, -5, 5), {.max_generations = 20}, base::Rng(seed), {});
  };
  const EvolutionResult once = run(5);
  EXPECT_EQ(once.population, run(5).population);
  EXPECT_EQ(once.evaluations, run(5).evaluations);
  EXPECT_NE(once.population, run(6).population);
}

TEST(EvolveTest, SurvivesCostsThatAreNoNumbers) {
  const auto broken = [](const Vector& x) { return x(0) < 1 ? std::nan("") : std::fabs(x(0) - 2); };
  EXPECT_NEAR(Evolve(broken, Cube(1, -5, 5), Tight(), base::Rng(2), {}).best(0), 2, 1e-3);
  const auto hopeless = [](const Vector&) { return std::nan(""); };
  const auto found = Evolve(hopeless, Cube(2, 0, 1), {.max_generations = 5}, base::Rng(2), {});
  EXPECT_TRUE(std::isinf(found.cost));
  EXPECT_FALSE(found.converged);
  EXPECT_EQ(found.best.size(), 2);
}

TEST(EvolveTest, EndsOnRequest) {
  std::stop_source source;
  size_t evaluations = 0;
  const auto cost = [&](const Vector& x) {
    if (++evaluations == 100) source.request_stop();
    return Rastrigin(x);
  };
  const auto stopped = Evolve(cost, Cube(2, -5, 5), Tight(), base::Rng(1), source.get_token());
  EXPECT_EQ(stopped.evaluations, 100U);
  EXPECT_TRUE(std::isfinite(stopped.cost));

  const auto patience = [](size_t generation, double) { return generation < 4; };
  const auto ended = Evolve(Rastrigin, Cube(2, -5, 5), Tight(), base::Rng(1), {}, patience);
  EXPECT_EQ(ended.generations, 4U);
}

}  // namespace
}  // namespace reckon::numeric
