#include "learn/search/standings.h"

#include <atomic>
#include <cmath>

#include <gmock/gmock.h>

#include "tests/support/data.h"
#include "tests/unit/base/fake_clock.h"

namespace reckon::learn {
namespace {

// Every look at it is a millisecond later.
class TickingClock final : public base::Clock {
 public:
  base::WallTime Now() const override { return base::WallTime(); }
  base::MonotonicTime Monotonic() const override {
    return base::MonotonicTime(std::chrono::milliseconds(++looks_));
  }

 private:
  mutable std::atomic<int> looks_ = 0;
};

// A law that weighted sums of 1/workers know and trees cannot continue.
Dataset Scaling() {
  return support::MakeDataset(support::GridTable({1, 2, 4, 8, 16}, {10, 20, 40}, 1,
                                                 [](double w, double s) { return 5 + 3 * s / w; }),
                              "y");
}

Standings Compare(const Dataset& data, SearchOptions options) {
  base::NoProgress progress;
  const SearchOutcome outcome = Search(data, options, {}, progress).value();
  const TickingClock clock;
  return CompareByQuestion(data, outcome.contenders, options, clock, {}, progress).value();
}

TEST(StandingsTest, AnswersThreeQuestionsForEveryTechnique) {
  SearchOptions options;
  options.techniques = {"ernest", "tree"};
  const Standings standings = Compare(Scaling(), options);
  EXPECT_EQ(standings.column, 0);
  ASSERT_EQ(standings.rows.size(), 2);
  for (const Standing& row : standings.rows) {
    ASSERT_TRUE(row.folds && row.interpolation && row.extrapolation) << row.technique;
    EXPECT_EQ(row.folds->rows, 15);
    EXPECT_EQ(row.interpolation->rows, 6);  // workers 2 and 8: end points stay in training
    EXPECT_EQ(row.extrapolation->rows, 3);  // workers 16
    EXPECT_DOUBLE_EQ(row.fit_s, 0.001);
    EXPECT_GT(row.predict_us, 0);
  }
  const Standing& ernest = standings.rows[0];
  const Standing& tree = standings.rows[1];
  ASSERT_EQ(ernest.technique, "ernest");
  EXPECT_LT(*ernest.extrapolation->mape_percent, 1);
  EXPECT_GT(*tree.extrapolation->mape_percent, 5);
}

TEST(StandingsTest, ErrorsAreTheSameForAnyNumberOfThreads) {
  SearchOptions options;
  options.question.extrapolate = 0;
  options.jobs = 1;
  const Standings one = Compare(Scaling(), options);
  options.jobs = 4;
  const Standings four = Compare(Scaling(), options);
  ASSERT_EQ(one.rows.size(), four.rows.size());
  EXPECT_EQ(one.rows.front().technique, "blend");
  for (size_t i = 0; i < one.rows.size(); ++i) {
    EXPECT_EQ(one.rows[i].folds->rmse, four.rows[i].folds->rmse);
    EXPECT_EQ(one.rows[i].extrapolation->rmse, four.rows[i].extrapolation->rmse);
  }
}

TEST(StandingsTest, QuestionsThatTheDataCannotAnswerStayOpen) {
  const Dataset data = support::MakeDataset(
      support::NumberTable({{"a", {1, 2, 3, 4, 5, 6}}, {"y", {2, 4, 6, 8, 10, 13}}}), "y");
  SearchOptions options;
  options.techniques = {"ridge"};
  const Standings standings = Compare(data, options);
  EXPECT_FALSE(standings.column.has_value());
  EXPECT_TRUE(standings.rows[0].folds.has_value());
  EXPECT_FALSE(standings.rows[0].extrapolation.has_value());
}

TEST(StandingsTest, StopsWhenAsked) {
  const Dataset data = Scaling();
  base::NoProgress progress;
  const SearchOutcome outcome = Search(data, {}, {}, progress).value();
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = CompareByQuestion(data, outcome.contenders, {}, base::FakeClock(),
                                         stop.get_token(), progress);
  ASSERT_FALSE(stopped.ok());
  EXPECT_EQ(stopped.error().code(), base::ErrorCode::kInterrupted);
}

}  // namespace
}  // namespace reckon::learn
