#include "app/campaigns/pace_effect.h"

#include <cmath>

#include <gmock/gmock.h>

#include "base/rng.h"
#include "core/table_builder.h"

namespace reckon::app {
namespace {

// Points measured twice, while the pace of processors goes up and down; times follow it to `power`.
struct Measured {
  explicit Measured(double power, size_t points = 30) {
    base::Rng rng(3);
    core::TableBuilder run_rows;
    core::TableBuilder epoch_rows;
    int64_t run = 0;
    for (size_t point = 0; point < points; ++point) {
      for (int repeat = 0; repeat < 2; ++repeat) {
        ++run;
        const double pace = 20 * std::exp(0.1 * rng.Normal());
        const double time = static_cast<double>(1 + point) * std::pow(pace / 20, power) *
                            std::exp(0.01 * rng.Normal());
        Attempt attempt;
        attempt.run = run;
        attempt.pace_us = pace;
        history.by_point["p" + std::to_string(point)].push_back(attempt);
        run_rows.AddRow(
            {{"run", static_cast<double>(run)}, {"training_loop_s", time}, {"accuracy", time}});
        epoch_rows.AddRow({{"run", static_cast<double>(run)}, {"training_loop_s", time / 2}});
      }
    }
    runs = std::move(run_rows).Finish("runs");
    epochs = std::move(epoch_rows).Finish("epochs");
  }

  History history;
  core::Table runs;
  core::Table epochs;
};

TEST(PaceEffectTest, IsLearnedFromRepeatsAndTakenOut) {
  Measured measured(0.6);
  const auto effects = AdjustToUsualPace(measured.history, measured.runs, &measured.epochs);
  ASSERT_EQ(effects.size(), 1U);
  EXPECT_EQ(effects[0].column, "training_loop_s");
  EXPECT_NEAR(effects[0].power, 0.6, 0.05);
  EXPECT_NEAR(effects[0].usual_us, 20, 1);
  EXPECT_GT(*effects[0].before.percent, 3);
  EXPECT_LT(*effects[0].after.percent, 1.5);
  const size_t column = *measured.runs.Find("training_loop_s");
  for (size_t row = 0; row < measured.runs.row_count; ++row) {
    const double point = 1 + static_cast<double>(row / 2);
    EXPECT_NEAR(measured.runs.columns[column][row], point, 0.06 * point);
    EXPECT_NEAR(measured.epochs.columns[1][row], measured.runs.columns[column][row] / 2, 1e-9);
  }
}

TEST(PaceEffectTest, StaysOutWhereItExplainsNothingOrTooLittleIsKnown) {
  Measured steady(0);
  const core::Table before = steady.runs;
  EXPECT_TRUE(AdjustToUsualPace(steady.history, steady.runs, &steady.epochs).empty());
  const size_t column = *before.Find("training_loop_s");
  for (size_t row = 0; row < before.row_count; ++row) {
    EXPECT_EQ(steady.runs.columns[column][row], before.columns[column][row]);
  }
  Measured few(0.6, 5);
  EXPECT_TRUE(AdjustToUsualPace(few.history, few.runs, &few.epochs).empty());
  Measured untold(0.6);
  for (auto& [point, attempts] : untold.history.by_point) {
    for (Attempt& attempt : attempts) attempt.pace_us = 0;
  }
  EXPECT_TRUE(AdjustToUsualPace(untold.history, untold.runs, &untold.epochs).empty());
}

TEST(PaceEffectTest, HostsAreRepeatsOfThemselvesAndAppsHaveTimesToo) {
  base::Rng rng(5);
  History history;
  core::TableBuilder rows;
  for (int64_t run = 1; run <= 40; ++run) {
    Attempt attempt;
    attempt.run = run;
    attempt.pace_us = 20 * std::exp(0.1 * rng.Normal());
    history.by_point["p" + std::to_string(run / 2)].push_back(attempt);
    for (const double speed : {1.0, 1.42}) {
      rows.AddRow({{"run", static_cast<double>(run)},
                   {"host", speed > 1 ? std::string("tx2-0") : std::string("nano0")},
                   {"sift.latency_s", std::pow(attempt.pace_us / 20, 0.5) / speed}});
    }
  }
  core::Table nodes = std::move(rows).Finish("nodes");
  const auto effects = AdjustToUsualPace(history, nodes);
  ASSERT_EQ(effects.size(), 1U);
  EXPECT_EQ(effects[0].column, "sift.latency_s");
  EXPECT_NEAR(effects[0].power, 0.5, 1e-6);
  EXPECT_LT(*effects[0].after.percent, 1e-6);
}

}  // namespace
}  // namespace reckon::app
