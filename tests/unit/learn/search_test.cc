#include "learn/search/search.h"

#include <cmath>

#include <gmock/gmock.h>

#include "base/progress.h"
#include "learn/model_file.h"
#include "tests/support/data.h"

namespace reckon::learn {
namespace {

using support::GridTable;
using support::MakeDataset;

core::Table Noisy(uint64_t seed) {
  return GridTable({1, 2, 3, 4, 6, 8}, {10, 20, 40}, 2,
                   [rng = base::Rng(seed)](double w, double s) mutable {
                     return (4 + 3 * s / w + 0.3 * w) * std::exp(0.02 * rng.Normal());
                   });
}

SearchOutcome MustSearch(const Dataset& data, const SearchOptions& options) {
  base::NoProgress progress;
  return Search(data, options, {}, progress).value();
}

TEST(SearchTest, ChoosesTheLawForExtrapolationAndOrdersBySelectionError) {
  const Dataset data = MakeDataset(Noisy(1), "y");
  SearchOptions options;
  options.question.extrapolate = 0;
  options.techniques = {"ridge", "ernest", "tree"};
  const SearchOutcome outcome = MustSearch(data, options);
  ASSERT_EQ(outcome.contenders.size(), 3);
  EXPECT_EQ(outcome.contenders[0].fitted.candidate.technique, "ernest");
  EXPECT_EQ(outcome.contenders.back().fitted.candidate.technique, "tree");
  EXPECT_LE(*outcome.contenders[0].selection.mape_percent,
            *outcome.contenders[1].selection.mape_percent);
  Matrix far(1, 2);
  far << 32, 40;
  const double truth = 4 + 3 * 40.0 / 32 + 0.3 * 32;
  EXPECT_NEAR(outcome.contenders[0].fitted.Predict(far)(0), truth, 0.1 * truth);
}

// With zeros in the target a relative error looks at the other rows only, and would put ernest
// before the tree here.
TEST(SearchTest, ZerosInTheTargetAreComparedByRmse) {
  const core::Table table =
      support::NumberTable({{"workers", {1, 2, 3, 4, 5, 6}}, {"y", {0, 0, 0, 1, 2, 3}}});
  SearchOptions options;
  options.techniques = {"ridge", "ernest", "tree"};
  const SearchOutcome outcome = MustSearch(MakeDataset(table, "y"), options);
  ASSERT_EQ(outcome.contenders.size(), 3);
  const auto find = [&](const std::string& technique) -> const Contender& {
    return *std::find_if(outcome.contenders.begin(), outcome.contenders.end(),
                         [&](const auto& c) { return c.fitted.candidate.technique == technique; });
  };
  const Contender& tree = find("tree");
  const Contender& ernest = find("ernest");
  ASSERT_LT(tree.selection.rmse, ernest.selection.rmse);
  ASSERT_GT(*tree.selection.mape_percent, *ernest.selection.mape_percent);
  EXPECT_LT(&tree, &ernest);
}

TEST(SearchTest, TheSameBytesForAnyNumberOfJobs) {
  const Dataset data = MakeDataset(Noisy(2), "y");
  std::string first;
  for (const size_t jobs : {1, 2, 7}) {
    SearchOptions options;
    options.jobs = jobs;
    options.seed = 9;
    const std::string text = ModelToText(MakeModel(data, options, MustSearch(data, options)));
    if (first.empty()) first = text;
    EXPECT_EQ(text, first) << jobs << " jobs";
  }
}

TEST(SearchTest, StopsWhenAsked) {
  const Dataset data = MakeDataset(Noisy(3), "y");
  std::stop_source stop;
  stop.request_stop();
  base::NoProgress progress;
  const auto outcome = Search(data, {}, stop.get_token(), progress);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code(), base::ErrorCode::kInterrupted);
}

TEST(SearchTest, ANamedTechniqueThatDoesNotApplyIsAnError) {
  const Dataset data =
      MakeDataset(support::NumberTable({{"temperature", {1, 2, 3, 5}}, {"y", {1, 2, 4, 5}}}), "y");
  SearchOptions options;
  options.techniques = {"ernest"};
  base::NoProgress progress;
  const auto outcome = Search(data, options, {}, progress);
  ASSERT_FALSE(outcome.ok());
  EXPECT_THAT(outcome.error().message(), ::testing::HasSubstr("--workers"));
}

// A blend alone is one of whatever suits the data.
TEST(SearchTest, ABlendIsOfWhateverApplies) {
  SearchOptions options;
  options.techniques = {"blend"};
  const Dataset strange = MakeDataset(
      support::NumberTable({{"temperature", {1, 2, 3, 5, 6, 8}}, {"y", {1, 2, 4, 5, 7, 9}}}), "y");
  EXPECT_EQ(MustSearch(strange, options).contenders.front().fitted.candidate.technique, "blend");
  const Dataset negative = MakeDataset(
      support::NumberTable({{"workers", {1, 2, 3, 5, 6, 8}}, {"y", {-1, 2, 4, 5, 7, 9}}}), "y");
  const SearchOutcome outcome = MustSearch(negative, options);
  EXPECT_NE(outcome.contenders.front().fitted.candidate.technique, "blend");
  EXPECT_THAT(outcome.notes, ::testing::Contains(::testing::HasSubstr("no blend")));
}

// Whether logarithms exist is known from all rows, not from those that candidates are compared on.
TEST(SearchTest, OneZeroAmongManyRowsIsSeen) {
  std::vector<double> workers;
  std::vector<double> y;
  for (size_t i = 0; i < kSelectionRows + 5000; ++i) {
    workers.push_back(static_cast<double>(1 + i % 16));
    y.push_back(i == 777 ? 0 : 5 + 40 / workers.back());
  }
  const Dataset data = MakeDataset(support::NumberTable({{"workers", workers}, {"y", y}}), "y");
  SearchOptions options;
  options.techniques = {"ridge"};
  for (options.seed = 1; options.seed <= 5; ++options.seed) {
    const SearchOutcome outcome = MustSearch(data, options);
    EXPECT_EQ(outcome.contenders.front().fitted.candidate.scale, TargetScale::kLinear);
  }
}

TEST(SearchTest, PredictionsAreFiniteAndPositiveEvenFarAway) {
  const Dataset data = MakeDataset(Noisy(4), "y");
  const SearchOutcome outcome = MustSearch(data, {});
  Matrix far(3, 2);
  far << 1e9, 1, 1e-9, 1e12, 5, 0;
  for (const Contender& contender : outcome.contenders) {
    for (const double value : contender.fitted.Predict(far)) {
      EXPECT_TRUE(std::isfinite(value)) << contender.fitted.candidate.technique;
      EXPECT_GT(value, 0) << contender.fitted.candidate.technique;
    }
  }
}

}  // namespace
}  // namespace reckon::learn
