#include "learn/search/comparison.h"

#include <array>
#include <atomic>

#include <gmock/gmock.h>

#include "learn/regressors/linear_predictor.h"
#include "tests/support/data.h"

namespace reckon::learn {
namespace {

// Forecasts the mean of its rows times a factor, and counts how often it was asked to learn.
class OffByFactor final : public Technique {
 public:
  std::string_view name() const override { return "off"; }
  std::string_view summary() const override { return ""; }
  std::string_view requirement() const override { return ""; }
  std::vector<CandidateGroup> Candidates(const Dataset&, const Roles&, const Question&,
                                         const Restrictions&) const override {
    return {};
  }
  base::Result<std::vector<std::unique_ptr<Predictor>>> Fit(
      const FitInput& input, const CandidateGroup& group) const override {
    std::vector<std::unique_ptr<Predictor>> predictors;
    for (const Candidate& candidate : group) {
      const double factor = candidate.settings.at("factor");
      ++fits[static_cast<size_t>(10 * factor)];
      predictors.push_back(
          std::make_unique<LinearPredictor>(FeatureMap(), Vector(), factor * input.data.y.mean()));
    }
    return predictors;
  }
  base::Result<std::unique_ptr<Predictor>> Load(const base::Json&, const Schema&) const override {
    return base::Corrupt("never written");
  }

  mutable std::array<std::atomic<int>, 100> fits{};
};

Trial TrialOf(const Technique& technique, std::initializer_list<double> factors) {
  Trial trial{&technique, {}};
  for (const double factor : factors) {
    trial.group.push_back({.technique = "off", .features = {}, .settings = {{"factor", factor}}});
  }
  return trial;
}

class ComparisonTest : public ::testing::Test {
 protected:
  Comparison MustCompare(bool stop_hopeless, size_t jobs) {
    base::NoProgress progress;
    const ComparisonPlan plan{.data = data_,
                              .roles = roles_,
                              .question = question_,
                              .splits = KFoldSplits(data_.rows(), 5, base::Rng(1)).value(),
                              .stop_hopeless = stop_hopeless,
                              .rng = base::Rng(2),
                              .jobs = jobs};
    return Compare(plan,
                   {TrialOf(good_, {1.1}), TrialOf(good_, {1.2}), TrialOf(good_, {5.0}),
                    TrialOf(good_, {4.0, 1.3}), TrialOf(bad_, {3.0}), TrialOf(bad_, {4.0})},
                   {}, progress)
        .value();
  }

  Dataset data_ = support::MakeDataset(
      support::NumberTable({{"x", {1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
                            {"y", {10, 10.1, 9.9, 10, 10.2, 9.8, 10, 10.1, 10, 9.9}}}),
      "y");
  Roles roles_;
  Question question_;
  OffByFactor good_;
  OffByFactor bad_;
};

TEST_F(ComparisonTest, GroupsFarBehindAreSparedTheOtherSplits) {
  const Comparison comparison = MustCompare(true, 2);
  EXPECT_EQ(good_.fits[11], 5);
  EXPECT_EQ(good_.fits[12], 5);  // twice as far off is not hopeless
  EXPECT_EQ(good_.fits[50], 1);
  EXPECT_EQ(good_.fits[40], 5);  // its group has a good one
  EXPECT_EQ(bad_.fits[30], 5);   // the best that its technique has
  EXPECT_EQ(bad_.fits[40], 1);
  ASSERT_EQ(comparison.scored.size(), 5U);
  EXPECT_EQ(comparison.scored.front().trial, 0U);
  EXPECT_TRUE(comparison.trials[2].hopeless);
  EXPECT_TRUE(comparison.trials[5].hopeless);
  for (const Scored& scored : comparison.scored) {
    EXPECT_EQ(scored.predicted.size(), 10);
    EXPECT_FALSE(comparison.trials[scored.trial].hopeless);
  }
}

TEST_F(ComparisonTest, AListIsTriedInFull) {
  const Comparison comparison = MustCompare(false, 1);
  EXPECT_EQ(comparison.scored.size(), 7U);
  for (const size_t factor : {11, 12, 50, 40, 13}) EXPECT_EQ(good_.fits[factor], 5) << factor;
  for (const size_t factor : {30, 40}) EXPECT_EQ(bad_.fits[factor], 5) << factor;
}

}  // namespace
}  // namespace reckon::learn
