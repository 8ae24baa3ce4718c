#include "decide/recommend/pareto.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "decide/recommend/spot.h"

namespace reckon::decide {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ClusterOption Option(std::string name, double price, double seconds, double deviation = 0) {
  return {std::move(name), price, {std::log(seconds), deviation}, 0};
}

// One worker for ten hours, then less and less gain: cost 10, 12, 16, 24 for 10, 6, 4, 3 hours.
std::vector<ClusterOption> Scaling() {
  return {Option("1", 1, 36000), Option("2", 2, 21600), Option("4", 4, 14400),
          Option("8", 8, 10800), Option("bad", 8, 21600)};
}

TEST(ChooseClusterTest, TheFrontIsWhatNobodyBeats) {
  const ClusterChoice choice = ChooseCluster(Scaling(), {}).value();
  EXPECT_THAT(choice.front, ElementsAre(3, 2, 1, 0));
  EXPECT_EQ(choice.chosen, choice.knee);
}

TEST(ChooseClusterTest, TheCheapestInTimeAndTheFastestForTheMoney) {
  EXPECT_EQ(ChooseCluster(Scaling(), {.deadline_s = 6 * 3600.}).value().chosen, 1U);
  EXPECT_EQ(ChooseCluster(Scaling(), {.budget = 17}).value().chosen, 2U);
  EXPECT_EQ(ChooseCluster(Scaling(), {.deadline_s = 5 * 3600., .budget = 20}).value().chosen, 2U);
  EXPECT_THAT(ChooseCluster(Scaling(), {.deadline_s = 6 * 3600.}).value().why,
              HasSubstr("cheapest of 4 clusters (5 in all) that end within 6 h 0 min"));
}

TEST(ChooseClusterTest, WhoIsNotSureMustBeFaster) {
  const std::vector<ClusterOption> options{Option("sure", 2, 3000, 0.05),
                                           Option("unsure", 1, 3000, 0.5)};
  EXPECT_EQ(ChooseCluster(options, {.deadline_s = 3600, .confidence = 0.95}).value().chosen, 0U);
  EXPECT_EQ(ChooseCluster(options, {.deadline_s = 3600, .confidence = 0.6}).value().chosen, 1U);
}

TEST(ChooseClusterTest, StartingUpTakesTimeAndMoney) {
  std::vector<ClusterOption> options = Scaling();
  options[1].startup_s = 3600;
  EXPECT_EQ(ChooseCluster(options, {.deadline_s = 6 * 3600.}).value().chosen, 2U);
  EXPECT_NEAR(options[1].ExpectedCost(), 14, 1e-9);
}

TEST(ChooseClusterTest, WishesThatNobodyFulfilsNameTheNearest) {
  EXPECT_THAT(ChooseCluster(Scaling(), {.deadline_s = 3600}).error().Describe(),
              HasSubstr("the fastest, 8, needs 3 h 0 min, 2 h 0 min more"));
  EXPECT_THAT(ChooseCluster(Scaling(), {.budget = 5}).error().Describe(),
              HasSubstr("the cheapest, 1, needs 10, 5 more"));
  EXPECT_THAT(ChooseCluster(Scaling(), {.deadline_s = 4 * 3600., .budget = 11}).error().Describe(),
              HasSubstr("to be in time costs 16 (4); for the money it takes 10 h 0 min (1)"));
  EXPECT_FALSE(ChooseCluster({}, {}).ok());
  EXPECT_FALSE(ChooseCluster(std::vector{Option("free", 0, 1)}, {}).ok());
  EXPECT_FALSE(ChooseCluster(Scaling(), {.deadline_s = -1}).ok());
  EXPECT_FALSE(ChooseCluster(Scaling(), {.confidence = 1}).ok());
}

TEST(ChooseClusterTest, WhatWouldBeWorthMeasuring) {
  // As expected dearer than what is chosen, but nobody knows well.
  std::vector<ClusterOption> options{Option("known", 1, 3600), Option("close", 1, 3700, 0.01),
                                     Option("vague", 1, 4000, 0.5)};
  const ClusterChoice choice = ChooseCluster(options, {.deadline_s = 7200}).value();
  EXPECT_EQ(choice.chosen, 0U);
  ASSERT_TRUE(choice.measure.has_value());
  EXPECT_EQ(choice.measure->option, 2U);
  // By drawing: what is saved where the vague one turns out cheaper.
  base::Rng rng(1);
  double saved = 0;
  constexpr int kDraws = 200000;
  for (int i = 0; i < kDraws; ++i) {
    saved += std::max(0.0, 1 - std::exp(std::log(4000. / 3600) + 0.5 * rng.Normal())) / kDraws;
  }
  EXPECT_NEAR(choice.measure->saves, saved, 0.005);
  options.resize(2);
  EXPECT_FALSE(ChooseCluster(options, {.deadline_s = 7200}).value().measure.has_value());
}

// Whatever is asked for: the chosen one keeps the wish, and nobody who keeps it is better.
TEST(ChooseClusterTest, NobodyWhoKeepsTheWishIsBetter) {
  base::Rng rng(7);
  for (int round = 0; round < 300; ++round) {
    std::vector<ClusterOption> options;
    for (int i = 0; i < 40; ++i) {
      options.push_back(Option(std::to_string(i), 0.1 + 5 * rng.Uniform(),
                               600 + 7200 * rng.Uniform(), 0.4 * rng.Uniform()));
      options.back().startup_s = 300 * rng.Uniform();
    }
    ClusterWish wish;
    if (round % 3 != 0) wish.deadline_s = 1200 + 6000 * rng.Uniform();
    if (round % 3 != 1) wish.budget = 0.2 + 4 * rng.Uniform();
    const auto choice = ChooseCluster(options, wish);
    const auto keeps = [&](const ClusterOption& option) {
      return (!wish.deadline_s || option.SecondsAt(wish.confidence) <= *wish.deadline_s) &&
             (!wish.budget || option.CostAt(wish.confidence) <= *wish.budget);
    };
    if (!choice.ok()) {
      for (const ClusterOption& option : options) EXPECT_FALSE(keeps(option));
      continue;
    }
    const ClusterOption& chosen = options[choice->chosen];
    EXPECT_TRUE(keeps(chosen));
    for (const ClusterOption& option : options) {
      if (!keeps(option)) continue;
      if (choice->for_time) {
        EXPECT_LE(chosen.ExpectedSeconds(), option.ExpectedSeconds());
      } else {
        EXPECT_LE(chosen.ExpectedCost(), option.ExpectedCost());
      }
    }
    for (const size_t i : choice->front) {
      for (const ClusterOption& option : options) {
        EXPECT_FALSE(option.ExpectedSeconds() < options[i].ExpectedSeconds() &&
                     option.ExpectedCost() < options[i].ExpectedCost());
      }
    }
  }
}

TEST(SpotTest, InterruptionsStretchTime) {
  EXPECT_EQ(SpotStretch({.interruptions_per_hour = 0}, 8), 1);
  // Every hour of eight machines: checkpoints every 268 s, 3.7 % each for writing and for what is
  // lost, and 5 % for restarts; to first order 1.1245.
  EXPECT_NEAR(SpotStretch({0.125, 10, 180}, 8), 1.1335, 1e-3);
  double before = 1;
  for (double machines = 1; machines < 100; machines *= 2) {
    const double stretch = SpotStretch({}, machines);
    EXPECT_GT(stretch, before);
    before = stretch;
  }
  // Twelve times an hour on each of a hundred machines: restarts are interrupted too.
  EXPECT_GT(SpotStretch({12, 10, 180}, 100), 1e10);
}

// Against trainings drawn one by one: work, checkpoints, interruptions, restarts.
TEST(SpotTest, IsLongerAndLessSureAsDrawsAre) {
  const SpotTerms terms{0.05, 10, 180};
  constexpr double kMachines = 10;
  const double rate = terms.interruptions_per_hour * kMachines / 3600;
  const double interval = CheckpointInterval(terms, rate);
  base::Rng rng(1);
  std::vector<double> drawn;
  for (int i = 0; i < 4000; ++i) {
    const auto gap = [&] { return -std::log1p(-rng.Uniform()) / rate; };
    double now = 0;
    double next = gap();
    for (double done = 0; done < 3600;) {
      const double end = now + std::min(interval, 3600 - done) + terms.checkpoint_s;
      if (end <= next) {
        now = end;
        done += interval;
        continue;
      }
      now = next + terms.restart_s;
      next = now + gap();
    }
    drawn.push_back(now);
  }
  std::sort(drawn.begin(), drawn.end());
  const double mean = std::accumulate(drawn.begin(), drawn.end(), 0.0) / 4000;
  const LogNormal spot = OnSpot({std::log(3600.0), 0}, terms, kMachines);
  EXPECT_NEAR(spot.Expected(), mean, 0.02 * mean);
  EXPECT_NEAR(spot.Quantile(0.95), drawn[3800], 0.05 * drawn[3800]);
}

}  // namespace
}  // namespace reckon::decide
