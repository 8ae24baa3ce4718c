#include <algorithm>
#include <cmath>

#include <gmock/gmock.h>

#include "base/rng.h"
#include "learn/identify/parameters.h"
#include "learn/model.h"
#include "learn/model_file.h"
#include "tests/support/data.h"

namespace reckon::learn {
namespace {

using Kind = Unidentified::Kind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<Unidentified> Find(const core::Table& table, const Question& question = {}) {
  const Dataset data = support::MakeDataset(table, "y");
  return FindUnidentified(data, FindRoles(data.schema, {}).value(), question);
}

TEST(UnidentifiedTest, NothingToSayOfAFullGrid) {
  EXPECT_TRUE(Find(support::GridTable({1, 2, 4}, {10, 20}, 2, [](double w, double s) {
                return s / w;
              })).empty());
}

TEST(UnidentifiedTest, AColumnThatNeverVaries) {
  const auto found = Find(support::NumberTable(
      {{"workers", {1, 2, 4, 8}}, {"nodes", {3, 3, 3, 3}}, {"y", {8, 5, 3, 2}}}));
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].kind, Kind::kConstant);
  EXPECT_EQ(found[0].what, "nodes was always 3");
  EXPECT_EQ(found[0].next, "measure one configuration again with nodes=6 in place of 3");
}

TEST(UnidentifiedTest, ColumnsThatMoveTogether) {
  const auto found = Find(support::NumberTable(
      {{"workers", {1, 2, 4, 8}}, {"cpus", {2, 4, 8, 16}}, {"y", {8, 5, 3, 2}}}));
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].kind, Kind::kTogether);
  EXPECT_THAT(found[0].columns, ElementsAre("workers", "cpus"));
  EXPECT_THAT(found[0].next, HasSubstr("measure workers=8 with cpus=2"));
  const auto opposite = Find(support::NumberTable(
      {{"workers", {1, 2, 4, 8}}, {"share", {80, 40, 20, 10}}, {"y", {8, 5, 3, 2}}}));
  ASSERT_EQ(opposite.size(), 1);
  EXPECT_THAT(opposite[0].next, HasSubstr("measure workers=8 with share=80"));
}

TEST(UnidentifiedTest, AColumnThatIsTheProductOfOthers) {
  std::vector<double> workers;
  std::vector<double> cpus;
  std::vector<double> cores;
  std::vector<double> y;
  for (const double w : {1, 2, 4, 8}) {
    for (const double c : {2, 4, 16}) {
      workers.push_back(w);
      cpus.push_back(c);
      cores.push_back(w * c);
      y.push_back(100 / (w * c));
    }
  }
  const auto found = Find(
      support::NumberTable({{"workers", workers}, {"cpus", cpus}, {"cores", cores}, {"y", y}}));
  ASSERT_EQ(found.size(), 1);
  EXPECT_EQ(found[0].kind, Kind::kDetermined);
  EXPECT_THAT(found[0].columns, ElementsAre("cores", "workers", "cpus"));
  EXPECT_EQ(found[0].what, "cores follows from workers, cpus");
}

TEST(UnidentifiedTest, ACategoryThatGivesANumberAndALevelSeenOnce) {
  core::Table table = support::NumberTable({{"workers", {1, 2, 4, 8, 8, 8}},
                                            {"memory", {16, 16, 16, 16, 32, 32}},
                                            {"size", {10, 20, 10, 20, 10, 20}},
                                            {"y", {8, 9, 3, 4, 1, 2}}});
  support::AddCategories(table, "gpu", {"k80", "v100"}, {0, 0, 0, 0, 1, 1});
  const auto found = Find(table);
  ASSERT_EQ(found.size(), 2);
  EXPECT_EQ(found[0].kind, Kind::kDetermined);
  EXPECT_THAT(found[0].columns, ElementsAre("memory", "gpu"));
  EXPECT_EQ(found[1].kind, Kind::kOneSetting);
  EXPECT_THAT(found[1].what, HasSubstr("gpu=v100 was measured at workers=8 only"));
  EXPECT_EQ(found[1].next, "measure gpu=v100 with workers=1");
}

TEST(UnidentifiedTest, NamesReadBack) {
  for (const Kind kind : {Kind::kConstant, Kind::kTogether, Kind::kDetermined, Kind::kOneSetting,
                          Kind::kFrozen, Kind::kUncertain}) {
    EXPECT_EQ(ParseUnidentified(UnidentifiedName(kind)).value(), kind);
  }
  EXPECT_FALSE(ParseUnidentified("else").ok());
}

class ParameterTest : public ::testing::Test {
 protected:
  Dataset data_ =
      support::MakeDataset(support::GridTable({1, 2, 4, 8, 16}, {10, 20, 40}, 3,
                                              [rng = base::Rng(4)](double w, double s) mutable {
                                                return 3 * s / w * std::exp(0.05 * rng.Normal());
                                              }),
                           "y");

  Model Fit(const std::string& technique) {
    SearchOptions options;
    options.techniques = {technique};
    if (technique == "ridge") {
      options.restrictions.features = FeatureOptions{.raw = false, .log = true};
      options.restrictions.scale = TargetScale::kLog;
    }
    base::NoProgress progress;
    return MakeModel(data_, options, Search(data_, options, {}, progress).value());
  }

  std::vector<ParameterInterval> Intervals(const Model& model, size_t jobs) {
    base::NoProgress progress;
    return ParameterIntervals(model.fitted, data_, model.roles, {},
                              {.resamples = 20, .seed = 1, .jobs = jobs}, {}, progress)
        .value();
  }
};

TEST_F(ParameterTest, IntervalsOfPowersHoldTheTrueOnes) {
  const auto intervals = Intervals(Fit("ridge"), 2);
  const auto of = [&](const std::string& name) {
    return *std::find_if(intervals.begin(), intervals.end(),
                         [&](const auto& entry) { return entry.parameter.name == name; });
  };
  ASSERT_EQ(intervals.size(), 3);
  const ParameterInterval workers = of("weight of log(workers)");
  EXPECT_NEAR(workers.parameter.value, -1, 0.03);
  EXPECT_LT(workers.lower, -0.98);
  EXPECT_GT(workers.upper, -1.02);
  EXPECT_LT(workers.upper - workers.lower, 0.1);
  EXPECT_TRUE(workers.settled);
  EXPECT_EQ(workers.parameter.column, 0);
}

TEST_F(ParameterTest, EveryLawHasIntervalsTheSameForAnyNumberOfThreads) {
  for (const char* technique : {"ridge", "ernest", "generic", "powers", "usl", "amdahl", "pmnf"}) {
    const Model model = Fit(technique);
    const auto one = Intervals(model, 1);
    const auto four = Intervals(model, 4);
    EXPECT_GE(one.size(), 2) << technique;
    ASSERT_EQ(one.size(), four.size()) << technique;
    for (size_t i = 0; i < one.size(); ++i) {
      EXPECT_EQ(one[i].lower, four[i].lower) << technique << one[i].parameter.name;
      EXPECT_LE(one[i].lower, one[i].parameter.value);
      EXPECT_GE(one[i].upper, one[i].parameter.value);
    }
  }
  EXPECT_TRUE(Intervals(Fit("tree"), 1).empty());
}

// Most resamples do not draw the one configuration with two threads; they say nothing of what
// threads do. What corrects the law is left out.
TEST_F(ParameterTest, AColumnThatDoesNotVaryInAResampleIsNotNothing) {
  std::vector<support::NamedColumn> columns{
      {"workers", {}}, {"batch", {}}, {"images", {}}, {"threads", {}}, {"y", {}}};
  for (const double w : {1, 2, 4, 8}) {
    for (const double b : {16, 32, 64}) {
      for (const double s : {1000, 2000}) {
        const double t = w == 1 && b == 16 && s == 2000 ? 2 : 1;
        const std::array row{w, b, s, t, s / w / t * 0.01 + s / w / b * 0.1 + 1};
        for (size_t j = 0; j < row.size(); ++j) columns[j].second.push_back(row[j]);
      }
    }
  }
  data_ = support::MakeDataset(support::NumberTable(columns), "y");
  const auto intervals = Intervals(Fit("steps"), 2);
  const auto threads = std::find_if(intervals.begin(), intervals.end(), [](const auto& entry) {
    return entry.parameter.name.find("image_threads") != std::string::npos;
  });
  ASSERT_NE(threads, intervals.end());
  EXPECT_GT(threads->lower, 0);
}

// Which terms a sum has is chosen anew for every resample: without is as good as 0.
TEST_F(ParameterTest, ATermThatResamplesDoWithoutMayBeNothing) {
  data_ =
      support::MakeDataset(support::GridTable({1, 2, 4, 8}, {10, 20, 40}, 1,
                                              [rng = base::Rng(12)](double w, double s) mutable {
                                                return 50 / w + 0.02 * s + 0.5 * rng.Normal() + 2;
                                              }),
                           "y");
  bool weak = false;
  for (const ParameterInterval& interval : Intervals(Fit("lasso"), 2)) {
    EXPECT_LE(interval.lower, interval.parameter.value);
    weak = weak || (interval.parameter.name.find("size") != std::string::npos &&
                    interval.lower <= 0 && interval.upper >= 0);
  }
  EXPECT_TRUE(weak);
}

// Resamples without the level say nothing of its weight, least of all that it is 0.
TEST_F(ParameterTest, ALevelThatIsNotDrawnIsNotNothing) {
  core::Table table = support::GridTable({1, 2, 4, 8}, {10, 20}, 2, [](double w, double s) {
    return (w == 8 && s == 20 ? 10 : 1) * s / w;
  });
  std::vector<double> gpu;
  for (size_t row = 0; row < table.row_count; ++row) {
    gpu.push_back(table.columns[0][row] == 8 && table.columns[1][row] == 20 ? 1 : 0);
  }
  support::AddCategories(table, "gpu", {"k80", "v100"}, gpu);
  data_ = support::MakeDataset(table, "y");
  size_t levels = 0;
  for (const ParameterInterval& interval : Intervals(Fit("ridge"), 2)) {
    if (interval.parameter.name.find("gpu") == std::string::npos) continue;
    ++levels;
    EXPECT_GT(interval.lower * interval.upper, 0) << interval.parameter.name;
  }
  EXPECT_GT(levels, 0);
}

TEST_F(ParameterTest, FrozenTermsSayWhatWouldSettleThem) {
  data_ = support::MakeDataset(support::NumberTable({{"workers", {1, 2, 1, 2, 1, 2}},
                                                     {"batch", {8, 8, 16, 16, 32, 32}},
                                                     {"y", {10, 11, 18, 19.5, 35, 36}}}),
                               "y");
  const Model model = Fit("pollux");
  const auto gaps = FrozenTerms(model.fitted, data_.schema);
  ASSERT_EQ(gaps.size(), 1);
  EXPECT_EQ(gaps[0].kind, Kind::kFrozen);
  EXPECT_THAT(gaps[0].what, ::testing::HasSubstr("beta_sync"));
  EXPECT_EQ(gaps[0].next, "measure one with workers above 2");
}

TEST_F(ParameterTest, ABlendSpeaksForItsHeaviestMemberWithParameters) {
  const Model model = Fit("blend");
  const Fitted* member = Parametric(model.fitted);
  ASSERT_NE(member, nullptr);
  EXPECT_NE(member->candidate.technique, "blend");
  EXPECT_FALSE(Intervals(model, 2).empty());
}

TEST_F(ParameterTest, AParameterOfNoiseIsNotSettled) {
  // Nothing depends on the size.
  data_ = support::MakeDataset(support::GridTable({1, 2, 4, 8}, {10, 20, 40}, 2,
                                                  [rng = base::Rng(9)](double w, double) mutable {
                                                    return 8 / w * std::exp(0.1 * rng.Normal());
                                                  }),
                               "y");
  const auto gaps = UncertainParameters(Intervals(Fit("ridge"), 2), data_.schema);
  ASSERT_EQ(gaps.size(), 1);
  EXPECT_EQ(gaps[0].kind, Kind::kUncertain);
  EXPECT_THAT(gaps[0].columns, ElementsAre("size"));
  EXPECT_EQ(gaps[0].next, "measure size=10 and size=40 again, all else equal");
}

TEST_F(ParameterTest, WhatDataCannotTellIsKeptInTheModelFile) {
  data_ = support::MakeDataset(
      support::NumberTable(
          {{"workers", {1, 2, 4, 8}}, {"nodes", {3, 3, 3, 3}}, {"y", {8, 5, 3, 2}}}),
      "y");
  const Model model = Fit("ernest");
  const Model again = ModelFromText(ModelToText(model), "m").value();
  ASSERT_EQ(again.unidentified.size(), 1);
  EXPECT_EQ(again.unidentified[0].what, "nodes was always 3");
  EXPECT_EQ(again.roles.workers, model.roles.workers);
  EXPECT_EQ(again.roles.extrinsic, model.roles.extrinsic);
}

}  // namespace
}  // namespace reckon::learn
