#include "watch/convergence.h"

#include <cmath>
#include <functional>

#include <gmock/gmock.h>

#include "base/rng.h"

namespace reckon::watch {
namespace {

using ::testing::HasSubstr;

std::vector<EpochAccuracy> Seen(int epochs, const std::function<double(double)>& curve,
                                double noise = 0, uint64_t seed = 1) {
  base::Rng rng(seed);
  std::vector<EpochAccuracy> seen;
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    const double accuracy = curve(epoch) + noise * rng.Normal();
    seen.push_back({static_cast<double>(epoch), std::min(1.0, std::max(0.0, accuracy))});
  }
  return seen;
}

double Exponential(double k) { return 0.92 - 0.8 * std::exp(-k / 4); }
double Optimus(double k) { return 0.95 - 1 / (0.8 * k + 1); }

TEST(ConvergenceTest, CurvesOfItsOwnKindsAreFoundAndExtended) {
  for (const auto& curve :
       {std::function<double(double)>(Exponential), std::function<double(double)>(Optimus)}) {
    const auto fit = ConvergenceCurve::Fit(Seen(10, curve)).value();
    EXPECT_NEAR(fit.At(5).median, curve(5), 0.01);
    const Likely later = fit.At(30);
    EXPECT_NEAR(later.median, curve(30), 0.03);
    EXPECT_LE(later.lower, curve(30) + 0.01);
    EXPECT_GE(later.upper, curve(30) - 0.01);
  }
}

TEST(ConvergenceTest, IntervalsHoldWhatComesMostOfTheTime) {
  int inside = 0;
  constexpr int kRounds = 100;
  for (int round = 0; round < kRounds; ++round) {
    const auto fit =
        ConvergenceCurve::Fit(Seen(8, Exponential, 0.01, static_cast<uint64_t>(round))).value();
    const Likely end = fit.At(24);
    inside += end.lower <= Exponential(24) && Exponential(24) <= end.upper ? 1 : 0;
  }
  EXPECT_GE(inside, 75);
}

TEST(ConvergenceTest, TellsWhenAGoalIsReachedAndThatOneNeverIs) {
  const auto fit = ConvergenceCurve::Fit(Seen(8, Exponential, 0.003)).value();
  const double truth = -4 * std::log(0.07 / 0.8);  // 0.85
  const auto epochs = fit.EpochsTo(0.85, 100);
  ASSERT_TRUE(epochs.has_value());
  EXPECT_NEAR(epochs->median, truth, 0.2 * truth);
  EXPECT_LE(epochs->lower, epochs->median);
  EXPECT_GE(epochs->upper, epochs->median);
  EXPECT_FALSE(fit.EpochsTo(0.999, 100).has_value());
}

TEST(ConvergenceTest, WhatMakesNoSenseIsRefused) {
  EXPECT_FALSE(ConvergenceCurve::Fit(Seen(2, Exponential)).ok());
  const std::vector<EpochAccuracy> wrong{{1, 0.2}, {2, 1.5}, {3, 0.4}};
  EXPECT_THAT(ConvergenceCurve::Fit(wrong).error().Describe(), HasSubstr("expected 0 to 1"));
}

// Accuracy that does not move, one that falls, one that is perfect at once: no crash, no promise.
TEST(ConvergenceTest, FlatAndFallingCurvesPromiseNothing) {
  const auto flat = ConvergenceCurve::Fit(Seen(6, [](double) { return 0.1; })).value();
  EXPECT_NEAR(flat.At(50).median, 0.1, 0.05);
  const auto falling =
      ConvergenceCurve::Fit(Seen(6, [](double k) { return 0.9 - 0.05 * k; })).value();
  EXPECT_LT(falling.ChanceOfGain(6, 50, 0.05), 0.5);
  const auto perfect = ConvergenceCurve::Fit(Seen(5, [](double) { return 1.0; })).value();
  EXPECT_NEAR(perfect.At(20).median, 1, 0.02);
}

TEST(StopTest, StopsAtAPlateauAndNotBefore) {
  StopWish wish;
  wish.epochs = 30;
  double saved = 0;
  double lost = 0;
  constexpr int kRounds = 20;
  for (int round = 0; round < kRounds; ++round) {
    const auto all = Seen(30, Exponential, 0.004, static_cast<uint64_t>(round));
    size_t stopped = all.size();
    for (size_t n = 1; n <= all.size(); ++n) {
      if (AdviseStop(std::span(all).first(n), wish).advice == StopAdvice::kPlateau) {
        stopped = n;
        break;
      }
    }
    saved += 1 - static_cast<double>(stopped) / 30;
    lost += Exponential(30) - Exponential(static_cast<double>(stopped));
  }
  EXPECT_GE(saved / kRounds, 0.25);
  EXPECT_LE(lost / kRounds, 0.005);
}

TEST(StopTest, ATargetIsReachedTwiceOrSurely) {
  StopWish wish;
  wish.epochs = 30;
  wish.target = 0.8;
  const std::vector<EpochAccuracy> lucky{{1, 0.3}, {2, 0.5}, {3, 0.6}, {4, 0.81}};
  EXPECT_EQ(AdviseStop(lucky, wish).advice, StopAdvice::kGoOn);
  std::vector<EpochAccuracy> twice = lucky;
  twice.push_back({5, 0.82});
  const StopReport report = AdviseStop(twice, wish);
  EXPECT_EQ(report.advice, StopAdvice::kTargetReached);
  EXPECT_THAT(report.why, HasSubstr("0.800 is reached after 5 epochs"));
  // After 30 % of the way the number of epochs is known to a fifth.
  const auto early = AdviseStop(Seen(5, Exponential, 0.002), wish);
  ASSERT_TRUE(early.epochs.has_value());
  const double truth = -4 * std::log(0.12 / 0.8);
  EXPECT_NEAR(early.epochs->median, truth, 0.2 * truth);
}

}  // namespace
}  // namespace reckon::watch
