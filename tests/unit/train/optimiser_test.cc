#include "train/optimiser.h"

#include <cmath>

#include <gmock/gmock.h>

namespace reckon::train {
namespace {

using Kind = OptimiserOptions::Kind;

std::vector<float> Descend(const OptimiserOptions& options, std::vector<float> parameters,
                           const std::vector<std::vector<float>>& gradients) {
  Optimiser optimiser(options, parameters.size());
  for (const auto& gradient : gradients) {
    optimiser.Apply(optimiser.BeginStep(), 0, gradient, parameters);
  }
  return parameters;
}

TEST(OptimiserTest, SgdFollowsTheGradient) {
  EXPECT_FLOAT_EQ(Descend({.rate = 0.1}, {1}, {{2}, {3}})[0], 0.5F);
  // Weight decay 0.5: 1 - 0.1 (2 + 0.5) = 0.75, then 0.75 - 0.1 (3 + 0.375) = 0.4125.
  EXPECT_FLOAT_EQ(Descend({.rate = 0.1, .weight_decay = 0.5}, {1}, {{2}, {3}})[0], 0.4125F);
  // Momentum 0.9: velocity 2, then 4.8.
  EXPECT_FLOAT_EQ(Descend({.rate = 0.1, .momentum = 0.9}, {1}, {{2}, {3}})[0], 0.32F);
}

// The formulas of Kingma and Ba, in double precision and in their own order.
TEST(OptimiserTest, AdamIsThatOfThePaper) {
  const OptimiserOptions options{.kind = Kind::kAdam, .rate = 0.01};
  std::vector<std::vector<float>> gradients;
  double x = 1;
  double m = 0;
  double v = 0;
  for (int t = 1; t <= 30; ++t) {
    const double g = std::sin(t) + 0.3;
    gradients.push_back({static_cast<float>(g)});
    m = 0.9 * m + 0.1 * g;
    v = 0.999 * v + 0.001 * g * g;
    x -= 0.01 * (m / (1 - std::pow(0.9, t))) / (std::sqrt(v / (1 - std::pow(0.999, t))) + 1e-8);
  }
  EXPECT_NEAR(Descend(options, {1}, gradients)[0], x, 2e-6);
}

TEST(OptimiserTest, RangesOfAStepAreTheStep) {
  for (const Kind kind : {Kind::kSgd, Kind::kAdam}) {
    const OptimiserOptions options{.kind = kind, .rate = 0.1, .momentum = 0.9};
    const std::vector<float> gradient{1, -2, 3, 4, -5};
    std::vector<float> whole(5, 1);
    std::vector<float> parts(5, 1);
    Optimiser one(options, 5);
    Optimiser two(options, 5);
    for (int t = 0; t < 3; ++t) {
      one.Apply(one.BeginStep(), 0, gradient, whole);
      const uint64_t step = two.BeginStep();
      two.Apply(step, 3, std::span(gradient).subspan(3), std::span(parts).subspan(3));
      two.Apply(step, 0, std::span(gradient).first(3), std::span(parts).first(3));
    }
    EXPECT_EQ(whole, parts);
  }
}

TEST(OptimiserTest, ARestoredStateGoesOnAsIfNothingHadHappened) {
  const OptimiserOptions options{.kind = Kind::kAdam};
  const std::vector<std::vector<float>> gradients{{1, 2}, {3, -1}, {-2, 5}};
  std::vector<float> parameters{1, 1};
  Optimiser first(options, 2);
  for (int t = 0; t < 2; ++t) first.Apply(first.BeginStep(), 0, gradients[t], parameters);
  Optimiser second(options, 2);
  ASSERT_TRUE(second.Restore(first.state()).ok());
  second.Apply(second.BeginStep(), 0, gradients[2], parameters);
  EXPECT_EQ(parameters, Descend(options, {1, 1}, gradients));
  EXPECT_FALSE(Optimiser({.kind = Kind::kSgd}, 2).Restore(first.state()).ok());
  EXPECT_FALSE(Optimiser(options, 3).Restore(first.state()).ok());
}

// Two workers' gradients one by one end where their mean ends, once momentum has faded.
TEST(OptimiserTest, OneByOneMovesAsFarAsTheMean) {
  for (const double momentum : {0.0, 0.9}) {
    const OptimiserOptions together{.rate = 0.1, .momentum = momentum};
    const OptimiserOptions apart = OneByOne(together, 2);
    std::vector<std::vector<float>> means{{2}};
    std::vector<std::vector<float>> single{{1}, {3}};
    for (int i = 0; i < 200; ++i) means.push_back({0});
    for (int i = 0; i < 400; ++i) single.push_back({0});
    EXPECT_NEAR(Descend(together, {0}, means)[0], Descend(apart, {0}, single)[0], 1e-4);
  }
  const OptimiserOptions adam{.kind = Kind::kAdam, .rate = 0.1};
  EXPECT_DOUBLE_EQ(OneByOne(adam, 4).rate, 0.025);
  EXPECT_NEAR(std::pow(OneByOne(adam, 4).beta1, 4), 0.9, 1e-12);
}

TEST(OptimiserTest, NamesAreRead) {
  EXPECT_EQ(ParseOptimiser("sgd").value(), Kind::kSgd);
  EXPECT_EQ(ParseOptimiser("adam").value(), Kind::kAdam);
  EXPECT_FALSE(ParseOptimiser("adagrad").ok());
}

}  // namespace
}  // namespace reckon::train
