// The use cases on real files and a real store.
#include <fstream>

#include <gmock/gmock.h>

#include "app/archive.h"
#include "app/doctor.h"
#include "app/explain.h"
#include "app/fit.h"
#include "app/predict.h"
#include "app/validate.h"
#include "base/file.h"
#include "tests/support/data.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/base/fake_clock.h"

namespace reckon::app {
namespace {

using ::testing::HasSubstr;

class AppTest : public ::testing::Test {
 protected:
  AppTest() {
    std::string text = "machine,workers,size,time_s\n";
    for (const char* machine : {"small", "large"}) {
      for (const int size : {10, 20, 40}) {
        for (const int workers : {1, 2, 4, 8, 16}) {
          const double speed = machine[0] == 's' ? 1 : 2;
          text += std::string(machine) + "," + std::to_string(workers) + "," +
                  std::to_string(size) + "," +
                  std::to_string(3 + 10.0 * size / workers / speed + 0.2 * workers) + "\n";
        }
      }
    }
    Write("runs.csv", text);
    request_.learn.data.file = folder_ / "runs.csv";
    request_.learn.target = "time_s";
  }

  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }

  Context MakeContext() {
    return {clock_, log_, progress_, stop_.get_token(), 2, folder_ / "reckon.db"};
  }

  support::TempFolder folder_;
  base::FakeClock clock_;
  base::Logger log_{base::LogLevel::kOff};
  base::NoProgress progress_;
  std::stop_source stop_;
  FitRequest request_;
};

TEST_F(AppTest, FromTableToForecastByFile) {
  request_.extrapolate = "workers";
  request_.out = folder_ / "m.json";
  const FitReport fit = Fit(request_, MakeContext()).value();
  EXPECT_EQ(fit.rows, 30);
  EXPECT_TRUE(fit.leaderboard.front().chosen);

  PredictRequest ask;
  ask.model = folder_ / "m.json";
  ask.set = {"machine=small", "workers=32", "size=40"};
  ask.plot = folder_ / "c.svg";
  ask.measured = folder_ / "runs.csv";
  const PredictReport answer = Predict(ask, MakeContext()).value();
  ASSERT_EQ(answer.forecasts.size(), 1);
  EXPECT_FALSE(answer.forecasts[0].in_support);
  EXPECT_THAT(base::ReadFile(folder_ / "c.svg").value(), HasSubstr("<svg"));

  ExplainRequest explain;
  explain.model = folder_ / "m.json";
  explain.set = ask.set;
  const ExplainReport explained = Explain(explain, MakeContext()).value();
  EXPECT_EQ(explained.columns.size(), 3);
  EXPECT_TRUE(explained.forecast.has_value());
}

TEST_F(AppTest, FromTableToForecastByStore) {
  ImportRequest import;
  import.data.file = folder_ / "runs.csv";
  const ImportReport first = Import(import, MakeContext()).value();
  EXPECT_EQ(first.set.name, "runs");
  EXPECT_FALSE(first.already_there);
  EXPECT_TRUE(Import(import, MakeContext())->already_there);

  request_.learn.data.file.clear();
  request_.save = "speed";
  ASSERT_TRUE(Fit(request_, MakeContext()).ok());
  PredictRequest ask;
  ask.model = "speed";
  ask.data.samples = "runs";
  const PredictReport answer = Predict(ask, MakeContext()).value();
  EXPECT_EQ(answer.forecasts.size(), 30);
  EXPECT_LT(*answer.error->mape_percent, 10);
  const ListReport list = List(MakeContext()).value();
  EXPECT_EQ(list.sample_sets.size(), 1);
  ASSERT_EQ(list.models.size(), 1);
  EXPECT_EQ(list.models[0].data_fingerprint, list.sample_sets[0].fingerprint);
}

TEST_F(AppTest, FingerprintDependsOnContentAlone) {
  const core::Table table = support::NumberTable({{"w", {1, 2, 4}}, {"y", {10, 6, 4}}});
  core::Table renamed = table;
  renamed.source = "another";
  const core::Table other = support::NumberTable({{"w", {1, 2, 4}}, {"y", {10, 6, 5}}});
  EXPECT_EQ(FingerprintOf(table), FingerprintOf(renamed));
  EXPECT_NE(FingerprintOf(table), FingerprintOf(other));
}

// Whatever is done to the validation rows, the training and selection errors and the choice stay.
TEST_F(AppTest, ValidationRowsDoNotLeak) {
  ValidateRequest validate;
  validate.learn = request_.learn;
  validate.holdout = 0.2;
  validate.extrapolate = {"workers>4"};
  validate.interpolate = {"size=20"};
  const ValidateReport before = Validate(validate, MakeContext()).value();
  // The rows that the extrapolation holds out, made absurd.
  const std::string text = base::ReadFile(folder_ / "runs.csv").value();
  std::string absurd;
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = text.find('\n', at);
    std::string line = text.substr(at, end - at);
    if (line.find(",8,") != std::string::npos || line.find(",16,") != std::string::npos) {
      line = line.substr(0, line.rfind(',')) + ",77777";
    }
    absurd += line + "\n";
    at = end + 1;
  }
  Write("absurd.csv", absurd);
  validate.learn.data.file = folder_ / "absurd.csv";
  const ValidateReport after = Validate(validate, MakeContext()).value();
  const ValidationBlock& was = before.blocks[2];
  const ValidationBlock& is = after.blocks[2];
  ASSERT_THAT(was.method, HasSubstr("extrapolation"));
  EXPECT_EQ(was.chosen.technique, is.chosen.technique);
  EXPECT_EQ(was.chosen.description, is.chosen.description);
  for (size_t i = 0; i < was.techniques.size(); ++i) {
    EXPECT_EQ(was.techniques[i].description, is.techniques[i].description);
    EXPECT_EQ(was.techniques[i].training.rmse, is.techniques[i].training.rmse);
    EXPECT_EQ(was.techniques[i].selection.rmse, is.techniques[i].selection.rmse);
    EXPECT_NE(was.techniques[i].validation->rmse, is.techniques[i].validation->rmse);
  }
}

TEST_F(AppTest, InterruptedWorkWritesNothing) {
  stop_.request_stop();
  request_.out = folder_ / "m.json";
  const auto fit = Fit(request_, MakeContext());
  ASSERT_FALSE(fit.ok());
  EXPECT_EQ(fit.error().code(), base::ErrorCode::kInterrupted);
  EXPECT_FALSE(std::filesystem::exists(folder_ / "m.json"));
  ImportRequest import;
  import.data.file = folder_ / "runs.csv";
  EXPECT_FALSE(Import(import, MakeContext()).ok());
}

TEST_F(AppTest, DoctorLeavesNothingBehind) {
  const DoctorReport report = Examine(MakeContext());
  EXPECT_TRUE(report.healthy);
  size_t entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder_.path())) {
    ++entries;
  }
  EXPECT_EQ(entries, 1);  // runs.csv
}

TEST_F(AppTest, ValidationSaysHowGoodIntervalsAreTheSameForAnyNumberOfThreads) {
  ValidateRequest request;
  request.learn = request_.learn;
  request.learn.techniques = {"ridge", "ernest"};
  request.kfold = 3;
  request.holdout = 0.2;
  request.interpolate = {"workers"};
  request.extrapolate = {"workers>8", "workers<2"};
  Context context = MakeContext();
  context.jobs = 1;
  const ValidateReport one = Validate(request, context).value();
  context.jobs = 7;
  const ValidateReport seven = Validate(request, context).value();
  ASSERT_EQ(one.blocks.size(), 5);
  for (size_t b = 0; b < one.blocks.size(); ++b) {
    EXPECT_EQ(one.blocks[b].chosen.validation->rmse, seven.blocks[b].chosen.validation->rmse);
    EXPECT_EQ(one.blocks[b].interval_score_percent, seven.blocks[b].interval_score_percent);
    EXPECT_GT(one.blocks[b].interval_score_percent.value(), 0) << one.blocks[b].method;
    EXPECT_GE(one.blocks[b].coverage_percent, 0);
    EXPECT_LE(one.blocks[b].coverage_percent, 100);
  }
}

TEST_F(AppTest, TheLeaderboardDoesNotChangeTheModel) {
  request_.learn.techniques = {"ridge", "ernest"};
  request_.out = folder_ / "plain.json";
  EXPECT_FALSE(Fit(request_, MakeContext()).value().standings.has_value());
  request_.out = folder_ / "compared.json";
  request_.leaderboard = true;
  const FitReport report = Fit(request_, MakeContext()).value();
  ASSERT_TRUE(report.standings.has_value());
  EXPECT_EQ(report.standings->rows.size(), report.leaderboard.size());
  EXPECT_EQ(report.standings_column, "workers");
  EXPECT_EQ(base::ReadFile(folder_ / "plain.json").value(),
            base::ReadFile(folder_ / "compared.json").value());
}

TEST_F(AppTest, ExplainWithTheRowsSaysHowSureParametersAre) {
  request_.learn.techniques = {"ernest"};
  request_.out = folder_ / "m.json";
  ASSERT_TRUE(Fit(request_, MakeContext()).ok());
  ExplainRequest explain;
  explain.model = folder_ / "m.json";
  EXPECT_TRUE(Explain(explain, MakeContext()).value().intervals.empty());
  explain.data.file = folder_ / "runs.csv";
  const ExplainReport report = Explain(explain, MakeContext()).value();
  EXPECT_EQ(report.parameters_of, "ernest");
  EXPECT_GE(report.intervals.size(), 4);
  EXPECT_TRUE(report.notes.empty());
  Write("two.csv", "machine,workers,size,time_s\nsmall,1,10,100\nsmall,2,10,50\n");
  explain.data.file = folder_ / "two.csv";
  EXPECT_THAT(Explain(explain, MakeContext()).error().message(), HasSubstr("at least 3"));
}

}  // namespace
}  // namespace reckon::app
