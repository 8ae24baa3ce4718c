#include "watch/calibration.h"

#include <cmath>
#include <vector>

#include <gmock/gmock.h>

#include "base/rng.h"

namespace reckon::watch {
namespace {

using ::testing::HasSubstr;

// Forecasts of 100 s with an interval of 90 %, when times really scatter by `deviation` (of the
// logarithm) around 100 s times `bias`.
std::vector<Outcome> Outcomes(size_t count, double bias, double said, double deviation,
                              uint64_t seed) {
  base::Rng rng(seed);
  std::vector<Outcome> outcomes;
  const double half = 1.645 * said;
  for (size_t i = 0; i < count; ++i) {
    outcomes.push_back({100, 100 * std::exp(-half), 100 * std::exp(half),
                        100 * bias * std::exp(deviation * rng.Normal())});
  }
  return outcomes;
}

TEST(CalibrationTest, NothingIsKnownWithoutOutcomes) { EXPECT_FALSE(Calibrate({}).has_value()); }

TEST(CalibrationTest, TellsErrorBiasAndCoverage) {
  const std::vector<Outcome> outcomes{
      {100, 90, 110, 100}, {100, 90, 110, 125}, {100, 90, 110, 80}, {100, 90, 110, 105}};
  const auto known = Calibrate(outcomes);
  ASSERT_TRUE(known.has_value());
  EXPECT_EQ(known->runs, 4U);
  EXPECT_NEAR(known->mape_percent, (0 + 20 + 25 + 100 * (1 - 100.0 / 105)) / 4, 1e-9);
  EXPECT_DOUBLE_EQ(known->bias, 1.025);
  EXPECT_DOUBLE_EQ(known->covered, 0.5);
  EXPECT_FALSE(known->drifted) << "too few to say";
}

TEST(CalibrationTest, AModelThatIsRightIsLeftAlone) {
  size_t alarms = 0;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    if (Calibrate(Outcomes(20, 1, 0.1, 0.1, seed))->drifted) ++alarms;
  }
  EXPECT_LE(alarms, 8U) << "of 2,000; two are to be expected";
}

TEST(CalibrationTest, ASteadyBiasIsSeenBeforeAnythingLeavesItsInterval) {
  // 12 % longer, where intervals reach 18 % beyond the forecast.
  const auto known = Calibrate(Outcomes(20, 1.12, 0.1, 0.02, 1));
  EXPECT_DOUBLE_EQ(known->covered, 1);
  EXPECT_TRUE(known->drifted);
  EXPECT_THAT(known->why, HasSubstr("last 20 runs took 11 % longer"));
  EXPECT_THAT(Calibrate(Outcomes(20, 0.85, 0.1, 0.02, 1))->why, HasSubstr("16 % less"));
}

TEST(CalibrationTest, AChangeIsSeenAfterFewRuns) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    std::vector<Outcome> outcomes = Outcomes(40, 1, 0.1, 0.1, seed);
    for (const Outcome& outcome : Outcomes(7, 1.5, 0.1, 0.1, seed + 100)) {
      outcomes.push_back(outcome);
    }
    EXPECT_TRUE(Calibrate(outcomes)->drifted) << seed;
  }
}

TEST(CalibrationTest, ScatterBeyondTheIntervalsIsSeen) {
  std::vector<Outcome> outcomes;
  for (size_t i = 0; i < 20; ++i) outcomes.push_back({100, 90, 110, i % 2 == 0 ? 125.0 : 80.0});
  EXPECT_THAT(Calibrate(outcomes)->why, HasSubstr("0 of the last 20 runs were within their 90 %"));
}

TEST(CalibrationTest, ThePresentLevelBeginsAtTheLastChange) {
  EXPECT_EQ(PresentLevelBegins({}), 0U);
  size_t invented = 0;
  for (uint64_t seed = 0; seed < 500; ++seed) {
    if (PresentLevelBegins(Outcomes(20, 1.3, 0.1, 0.1, seed)) != 0) ++invented;
  }
  EXPECT_LE(invented, 10U) << "of 500";
  std::vector<Outcome> outcomes = Outcomes(6, 1, 0.1, 0.03, 1);
  const auto add = [&](const std::vector<Outcome>& more) {
    outcomes.insert(outcomes.end(), more.begin(), more.end());
  };
  add(Outcomes(7, 1.6, 0.1, 0.03, 2));
  EXPECT_EQ(PresentLevelBegins(outcomes), 6U);
  add(Outcomes(9, 0.8, 0.1, 0.03, 3));
  EXPECT_EQ(PresentLevelBegins(outcomes), 13U);
}

TEST(CalibrationTest, IntervalsWithoutALowerEndOrWidthAreNoTrouble) {
  const std::vector<Outcome> open(8, {100, 0, 150, 60});
  EXPECT_TRUE(std::isfinite(Calibrate(open)->bias));
  const std::vector<Outcome> narrow(8, {100, 100, 100, 101});
  EXPECT_TRUE(Calibrate(narrow)->drifted);
  const std::vector<Outcome> exact(8, {100, 100, 100, 100});
  EXPECT_FALSE(Calibrate(exact)->drifted);
}

}  // namespace
}  // namespace reckon::watch
