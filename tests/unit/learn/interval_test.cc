#include "learn/interval.h"

#include <cmath>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "base/rng.h"
#include "learn/model.h"
#include "learn/validate/interval_tally.h"
#include "tests/support/data.h"

namespace reckon::learn {
namespace {

using support::GridTable;
using support::MakeDataset;

core::Table Noisy(uint64_t seed) {
  return GridTable({1, 2, 4, 8}, {10, 20, 40}, 2,
                   [rng = base::Rng(seed)](double w, double s) mutable {
                     return (3 + 2 * s / w) * std::exp(0.05 * rng.Normal());
                   });
}

Model FitTo(const Dataset& data, std::vector<std::string> techniques = {},
            std::optional<size_t> extrapolate = {}) {
  SearchOptions options;
  options.techniques = std::move(techniques);
  options.question.extrapolate = extrapolate;
  base::NoProgress progress;
  return MakeModel(data, options, Search(data, options, {}, progress).value());
}

// A rule for residuals of `deviation(spread)` on the log scale, drawn `count` times.
template <typename Deviation>
IntervalRule RuleFor(base::Rng& rng, size_t count, Deviation deviation) {
  std::vector<SelectionResidual> residuals;
  Vector truth(static_cast<Eigen::Index>(count));
  for (size_t i = 0; i < count; ++i) {
    const double spread = 0.02 + 0.1 * rng.Uniform();
    const double y = 100 * std::exp(deviation(spread) * rng.Normal());
    residuals.push_back({y, 100, 0, spread});
    truth(static_cast<Eigen::Index>(i)) = y;
  }
  return CalibrateInterval(residuals, truth, false);
}

TEST(IntervalTest, CoversNewRowsAsPromisedWhateverTheSpreadMeans) {
  base::Rng rng(7);
  for (const bool spread_tells : {false, true}) {
    const auto deviation = [&](double spread) { return spread_tells ? spread : 0.05; };
    IntervalTally tally;
    for (int draw = 0; draw < 400; ++draw) {
      const IntervalRule rule = RuleFor(rng, 60, deviation);
      for (int i = 0; i < 10; ++i) {
        const double spread = 0.02 + 0.1 * rng.Uniform();
        double lower = 0;
        double upper = 0;
        rule.Bounds(100, {0, spread}, lower, upper);
        tally.Add(100 * std::exp(deviation(spread) * rng.Normal()), lower, upper);
      }
    }
    // 90 % of 4,000 rows; rows of one draw share their rule, so five binomial deviations (0.5
    // points each) below, and room above for what rules add to be safe.
    EXPECT_GT(tally.CoveragePercent(), 87.5) << spread_tells;
    EXPECT_LT(tally.CoveragePercent(), 95) << spread_tells;
  }
}

// No order statistic of a few rows reaches 90 %.
TEST(IntervalTest, CoversAsPromisedFromFewRows) {
  base::Rng rng(11);
  for (const size_t count : {2, 3, 5, 8, 12}) {
    IntervalTally tally;
    for (int draw = 0; draw < 400; ++draw) {
      const IntervalRule rule = RuleFor(rng, count, [](double) { return 0.1; });
      for (int i = 0; i < 10; ++i) {
        double lower = 0;
        double upper = 0;
        rule.Bounds(100, {0, 0.07}, lower, upper);
        tally.Add(100 * std::exp(0.1 * rng.Normal()), lower, upper);
      }
    }
    EXPECT_GT(tally.CoveragePercent(), 88) << count;
    // Where errors are not those of the best of many models, it is more than promised.
    if (count >= 8) {
      EXPECT_LT(tally.CoveragePercent(), 99.5) << count;
    }
  }
}

// Two values of the asked column: the search falls back to folds, and what it promises beyond is as
// wide as if nothing had been asked.
TEST(IntervalTest, FoldsAreNoPracticeForGoingBeyond) {
  std::vector<double> workers;
  std::vector<double> size;
  std::vector<double> y;
  for (size_t i = 0; i < 24; ++i) {
    workers.push_back(1 + static_cast<double>(i % 2));
    size.push_back(10 + static_cast<double>(i));
    y.push_back(3 + size.back() / workers.back());
  }
  const Dataset data =
      MakeDataset(support::NumberTable({{"workers", workers}, {"size", size}, {"y", y}}), "y");
  EXPECT_EQ(FitTo(data, {"ridge"}, size_t{0}).interval.beyond,
            FitTo(data, {"ridge"}).interval.beyond);
}

TEST(IntervalTest, CoversOnSyntheticDataAndWidensWithDistance) {
  IntervalTally tally;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const Dataset train = MakeDataset(Noisy(100 + seed), "y");
    const Dataset test = MakeDataset(Noisy(500 + seed), "y");
    const Model model = FitTo(train, {"ridge", "ernest", "tree"});
    const Bounds bounds = model.PredictBounds(test.x);
    for (Eigen::Index i = 0; i < test.y.size(); ++i) {
      tally.Add(test.y(i), bounds.lower(i), bounds.upper(i));
    }
    double before = model.interval.HalfWidth({0, 0});
    for (const double distance : {0.1, 0.5, 1.0, 3.0, 10.0}) {
      const double half = model.interval.HalfWidth({distance, 0});
      EXPECT_GT(half, before);
      before = half;
    }
  }
  EXPECT_GT(tally.CoveragePercent(), 88);
}

TEST(IntervalTest, DisagreementWidens) {
  base::Rng rng(3);
  const IntervalRule rule = RuleFor(rng, 100, [](double spread) { return spread; });
  EXPECT_GT(rule.HalfWidth({0, 0.3}), 1.5 * rule.HalfWidth({0, 0.05}));
  EXPECT_GT(rule.HalfWidth({1, 0.3}), rule.HalfWidth({0, 0.3}));
}

TEST(IntervalTest, IsFiniteForThreeRowsAndFarAway) {
  const core::Table table = support::NumberTable({{"workers", {1, 2, 4}}, {"y", {10, 6, 4}}});
  const Dataset data = MakeDataset(table, "y");
  for (const std::optional<size_t> extrapolate : {std::optional<size_t>(), {size_t{0}}}) {
    const Model model = FitTo(data, {}, extrapolate);
    Matrix x(4, 1);
    x << 3, 1e3, 1e300, 1e-300;
    const Bounds bounds = model.PredictBounds(x);
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
      EXPECT_TRUE(std::isfinite(bounds.lower(i)) && std::isfinite(bounds.upper(i))) << x(i, 0);
      EXPECT_GT(bounds.lower(i), 0);
      EXPECT_LE(bounds.lower(i), bounds.predicted(i));
      EXPECT_GE(bounds.upper(i), bounds.predicted(i));
    }
    EXPECT_GT(bounds.upper(1) / bounds.lower(1), bounds.upper(0) / bounds.lower(0));
  }
}

TEST(IntervalTest, TargetsThatAreNotAlwaysPositiveHaveFiniteIntervalsToo) {
  const core::Table table =
      support::NumberTable({{"x", {-1, 2, 3, 4, 5, 6, 7, 8}}, {"y", {-3, -1, 0, 2, 3, 5, 8, 9}}});
  const Model model = FitTo(MakeDataset(table, "y"));
  Matrix x(3, 1);
  x << 4, 1e6, 1e300;
  const Bounds bounds = model.PredictBounds(x);
  EXPECT_TRUE(bounds.lower.allFinite() && bounds.upper.allFinite());
  EXPECT_GT(bounds.upper(1) - bounds.lower(1), bounds.upper(0) - bounds.lower(0));
}

TEST(IntervalTest, TheRuleReadsBackAndEarlierOnesStayReadable) {
  base::Rng rng(5);
  const IntervalRule rule = RuleFor(rng, 40, [](double spread) { return spread; });
  const IntervalRule again = IntervalRule::FromJson(rule.ToJson()).value();
  for (const double spread : {0.0, 0.2}) {
    EXPECT_EQ(again.HalfWidth({0.5, spread}), rule.HalfWidth({0.5, spread}));
  }
  base::Json earlier = rule.ToJson();
  earlier.erase("near");
  earlier.erase("spread");
  EXPECT_TRUE(IntervalRule::FromJson(earlier).ok());
  earlier.erase("noise");
  EXPECT_FALSE(IntervalRule::FromJson(earlier).ok());
}

TEST(IntervalTallyTest, ScoresWidthAndMisses) {
  IntervalTally tally(0.9);
  EXPECT_FALSE(tally.MeanScorePercent().has_value());
  tally.Add(10, 9, 11);  // inside: width 2 of 10
  EXPECT_DOUBLE_EQ(*tally.MeanScorePercent(), 20);
  tally.Add(10, 11, 12);  // below by 1: 1 + 20 of 10
  EXPECT_NEAR(*tally.MeanScorePercent(), (20 + 210) / 2.0, 1e-9);
  EXPECT_DOUBLE_EQ(tally.CoveragePercent(), 50);
  tally.Add(0, -1, 1);  // counts as covered, has no relative score
  EXPECT_NEAR(*tally.MeanScorePercent(), 115, 1e-9);
  IntervalTally both;
  both.Add(tally);
  both.Add(tally);
  EXPECT_EQ(both.rows(), 6);
  EXPECT_NEAR(*both.MeanScorePercent(), 115, 1e-9);
}

TEST(IntervalTest, DistanceIsZeroInsideAndGrowsOutside) {
  const Dataset data = MakeDataset(Noisy(1), "y");
  const auto distance = [&](double w, double s) {
    return InputDistance(Eigen::RowVector2d(w, s), data.schema);
  };
  EXPECT_EQ(distance(5, 11), 0);
  EXPECT_NEAR(distance(16, 20), std::log(2), 1e-12);
  EXPECT_NEAR(distance(16, 80), std::hypot(std::log(2), std::log(2)), 1e-12);
  EXPECT_GT(distance(0, 20), 0);
}

}  // namespace
}  // namespace reckon::learn
