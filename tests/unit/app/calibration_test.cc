#include "app/calibration/calibration.h"

#include <chrono>
#include <cmath>
#include <thread>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/calibration/model_keeper.h"
#include "app/calibration/outcomes.h"
#include "app/calibration/refit.h"
#include "app/fit.h"
#include "app/model_source.h"
#include "app/runs/run_forecast.h"
#include "base/json.h"
#include "base/log.h"
#include "base/rng.h"
#include "core/table_builder.h"
#include "learn/model_file.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/support/temp_folder.h"

namespace reckon::app {
namespace {

using ::testing::HasSubstr;

// Runs of "digits" whose time is known: they take 2 s and 10 ms for every 32 images, divided by the
// workers, times `slower`.
class CalibrationsTest : public ::testing::Test {
 protected:
  struct Asked {
    double workers = 1;
    double images = 1000;
  };

  double TimeOf(const Asked& asked, double slower) {
    const double noise = std::exp(0.01 * rng_.Normal());
    return slower * noise * (2 + 0.01 * asked.images / 32 / asked.workers);
  }

  Asked Draw() {
    return {1 + std::floor(4 * rng_.Uniform()), 1000 + std::floor(8000 * rng_.Uniform())};
  }

  // Runs it to its end; its number.
  int64_t Finish(int64_t run_id, const Asked& asked, double slower,
                 const core::Row& more = core::Row()) {
    core::Run run = store_->FindRun(run_id).value();
    for (const auto state :
         {core::RunState::kPlanning, core::RunState::kStarting, core::RunState::kRunning}) {
      run = store_->MoveRun(run.id, run.state, state, "").value();
    }
    core::TableBuilder builder;
    core::Row row{{"run", static_cast<double>(run.id)},
                  {"workers", asked.workers},
                  {"images", asked.images},
                  {"training_loop_s", TimeOf(asked, slower)}};
    row.insert(row.end(), more.begin(), more.end());
    builder.AddRow(row);
    const core::CollectedRows rows{"digits.runs", std::move(builder).Finish("run")};
    EXPECT_TRUE(
        store_->FinishRun(run.id, run.state, core::RunState::kFinished, "", {&rows, 1}).ok());
    return run.id;
  }

  int64_t Add() {
    core::Run run;
    run.name = "digits";
    run.job = "{}";
    return store_->AddRun(run)->id;
  }

  void FitFirst() {
    for (int i = 0; i < 40; ++i) Finish(Add(), Draw(), 1);
    FitRequest request;
    request.learn.data.samples = "digits.runs";
    request.learn.target = "training_loop_s";
    request.save = "digits";
    const auto fitted = Fit(request, context_);
    ASSERT_TRUE(fitted.ok()) << fitted.error().Describe();
  }

  // As `reckon run --model digits` does.
  int64_t RunWithForecast(double slower, const core::Row& more = core::Row()) {
    const Asked asked = Draw();
    const LoadedModel model = LoadStoredModel("digits", *store_).value();
    Eigen::Matrix<double, 1, Eigen::Dynamic> x(
        static_cast<Eigen::Index>(model.model.schema.inputs.size()));
    x(static_cast<Eigen::Index>(*model.model.schema.FindInput("workers"))) = asked.workers;
    x(static_cast<Eigen::Index>(*model.model.schema.FindInput("images"))) = asked.images;
    const learn::Bounds bounds = model.model.PredictBounds(x);
    RunForecast made;
    made.model_id = model.store_id;
    made.question = base::DumpJsonLine({{"workers", asked.workers}, {"images", asked.images}});
    made.forecast.predicted = bounds.predicted(0);
    made.forecast.lower = bounds.lower(0);
    made.forecast.upper = bounds.upper(0);
    const int64_t run = Add();
    EXPECT_TRUE(KeepForecast(made, run, *store_).ok());
    return Finish(run, asked, slower, more);
  }

  ModelCalibration Known() { return CalibrationsOf(*store_, "digits").value().at(0); }

  support::TempFolder folder_;
  base::SystemClock clock_;
  base::NoProgress progress_;
  base::Logger log_{base::LogLevel::kOff};
  base::Rng rng_{11};
  Context context_{clock_, log_, progress_, {}, 2, folder_ / "x.db"};
  std::unique_ptr<store::Store> store_ = store::SqliteStore::Open(folder_ / "x.db", clock_).value();
};

TEST_F(CalibrationsTest, ForecastsAreHeldAgainstWhatRunsTook) {
  FitFirst();
  EXPECT_TRUE(CalibrationsOf(*store_, "")->empty());
  for (int i = 0; i < 12; ++i) RunWithForecast(1);
  const ModelCalibration known = Known();
  EXPECT_EQ(known.forecasts, 12U);
  ASSERT_TRUE(known.calibration.has_value());
  EXPECT_EQ(known.calibration->runs, 12U);
  EXPECT_LT(known.calibration->mape_percent, 4);
  EXPECT_NEAR(known.calibration->bias, 1, 0.03);
  EXPECT_FALSE(known.calibration->drifted) << known.calibration->why;
  const base::Json json = ToJson({known}, true);
  EXPECT_EQ(json["models"][0]["outcomes"].size(), 12U);
  EXPECT_EQ(json["models"][0]["target"], "training_loop_s");
}

TEST_F(CalibrationsTest, RunsThatWereNotWhatWasAskedDoNotCount) {
  FitFirst();
  RunWithForecast(1);
  RunWithForecast(9, {{"disturbed", 1.0}});
  const int64_t fewer = RunWithForecast(1);
  // Its shape was another in the end: the question is not the run's.
  auto forecasts = ForecastsWithOutcomes(*store_, "digits", 10).value();
  ASSERT_EQ(forecasts.size(), 3U);
  EXPECT_TRUE(forecasts[0].record.actual.has_value());
  EXPECT_FALSE(forecasts[1].record.actual.has_value());
  EXPECT_EQ(forecasts[2].record.run_id, fewer);
  core::ForecastRecord other = forecasts[2].record;
  other.question = R"({"workers": 99})";
  other.run_id = RunWithForecast(1);
  ASSERT_TRUE(store_->AddForecasts({&other, 1}).ok());
  forecasts = ForecastsWithOutcomes(*store_, "digits", 10).value();
  ASSERT_EQ(forecasts.size(), 4U) << "of several forecasts of a run the last one counts";
  EXPECT_FALSE(forecasts[3].record.actual.has_value());
  EXPECT_EQ(OutcomesOf(forecasts).size(), 2U);
}

TEST_F(CalibrationsTest, ADriftIsSeenAndLearned) {
  FitFirst();
  for (int i = 0; i < 5; ++i) RunWithForecast(1);
  EXPECT_FALSE(Known().calibration->drifted);
  for (int i = 0; i < 14; ++i) RunWithForecast(1.6);
  const ModelCalibration before = Known();
  EXPECT_TRUE(before.calibration->drifted);
  EXPECT_THAT(before.calibration->why, HasSubstr("longer than forecast"));
  const auto report = Refit({.model = "digits"}, context_);
  ASSERT_TRUE(report.ok()) << report.error().Describe();
  EXPECT_EQ(report->old_version, before.version);
  EXPECT_GT(report->new_version, before.version);
  EXPECT_EQ(report->samples, "digits.runs");
  EXPECT_EQ(report->tested, 7U);
  EXPECT_EQ(report->rows_used, "adjusted");
  EXPECT_GT(*report->old_mape_percent, 30);
  EXPECT_LT(*report->new_mape_percent, 0.7 * *report->old_mape_percent);
  for (int i = 0; i < 6; ++i) RunWithForecast(1.6);
  const ModelCalibration after = Known();
  EXPECT_EQ(after.version, report->new_version);
  EXPECT_EQ(after.calibration->runs, 6U);
  EXPECT_LT(after.calibration->mape_percent, before.calibration->mape_percent / 2);
  EXPECT_EQ(LoadStoredModel("digits", *store_)->model.origin.samples, "digits.runs")
      << "so that it can be done again";
}

TEST_F(CalibrationsTest, WhatIsNotBetterIsNotSaved) {
  FitFirst();
  for (int i = 0; i < 3; ++i) RunWithForecast(1);
  const auto too_few = Refit({.model = "digits"}, context_);
  ASSERT_FALSE(too_few.ok());
  EXPECT_EQ(too_few.error().code(), base::ErrorCode::kBadInput);
  EXPECT_THAT(too_few.error().Describe(), HasSubstr("too few runs"));
  // Forecasts that could not be better.
  const int64_t version = store_->FindModel("digits")->id;
  for (int i = 0; i < 8; ++i) {
    const Asked asked = Draw();
    core::ForecastRecord exact;
    exact.model_id = version;
    exact.run_id = Add();
    exact.question = "{}";
    Finish(*exact.run_id, asked, 1);
    const auto table = store_->LoadSamples("digits.runs").value();
    const double actual = table.columns[*table.Find("training_loop_s")][table.row_count - 1];
    exact.forecast.predicted = actual;
    exact.forecast.lower = actual / 1.1;
    exact.forecast.upper = actual * 1.1;
    ASSERT_TRUE(store_->AddForecasts({&exact, 1}).ok());
  }
  const auto refused = Refit({.model = "digits"}, context_);
  ASSERT_TRUE(refused.ok()) << refused.error().Describe();
  EXPECT_EQ(refused->new_version, 0);
  EXPECT_EQ(store_->FindModel("digits")->id, version);
  const auto forced = Refit({.model = "digits", .force = true}, context_);
  EXPECT_GT(forced->new_version, version);
  EXPECT_THAT(forced->why, HasSubstr("forced"));
}

TEST_F(CalibrationsTest, WhatCannotBeRefittedIsSaid) {
  EXPECT_EQ(Refit({.model = "none"}, context_).error().code(), base::ErrorCode::kNotFound);
  FitFirst();
  LoadedModel loaded = LoadStoredModel("digits", *store_).value();
  learn::Model& model = loaded.model;
  model.origin = {};
  ASSERT_TRUE(SaveModel("plain", model, learn::ModelToText(model), context_).ok());
  EXPECT_THAT(Refit({.model = "plain"}, context_).error().Describe(),
              HasSubstr("was not fitted to samples of the store"));
}

TEST_F(CalibrationsTest, AKeeperFitsAnewWhatHasDrifted) {
  FitFirst();
  const int64_t version = store_->FindModel("digits")->id;
  for (int i = 0; i < 10; ++i) RunWithForecast(1.6);
  const auto newest_within_a_minute = [&](int64_t than) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
    while (store_->FindModel("digits")->id <= than && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return store_->FindModel("digits")->id;
  };
  // What happened before it was started it finds.
  ModelKeeper keeper({.look = std::chrono::milliseconds(20)}, *store_, context_);
  const int64_t second = newest_within_a_minute(version);
  EXPECT_GT(second, version);
  // And what happens then.
  for (int i = 0; i < 10; ++i) RunWithForecast(0.7);
  EXPECT_GT(newest_within_a_minute(second), second);
  EXPECT_EQ(keeper.AskForRefit("none").error().code(), base::ErrorCode::kNotFound);
  std::vector<std::string> kinds;
  for (const core::Event& event : store_->ListEvents({}, 0, 10'000).value()) {
    if (event.kind.starts_with("model.")) kinds.push_back(event.kind);
  }
  EXPECT_THAT(kinds, ::testing::IsSupersetOf({"model.drifted", "model.refitted"}));
}

}  // namespace
}  // namespace reckon::app
