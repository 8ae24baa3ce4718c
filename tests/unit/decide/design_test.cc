#include "decide/design/design.h"

#include <chrono>
#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/rng.h"
#include "decide/design/cover.h"
#include "decide/design/expected_error.h"
#include "decide/design/space.h"
#include "numeric/stats.h"

namespace reckon::decide {
namespace {

using testing::HasSubstr;

struct GridPoint {
  double workers;
  double images;
  double gpu;  // level
};

// workers x images x two GPUs.
std::vector<GridPoint> Points(size_t workers, size_t images) {
  std::vector<GridPoint> points;
  for (size_t w = 1; w <= workers; ++w) {
    for (size_t i = 1; i <= images; ++i) {
      for (const double gpu : {0.0, 1.0}) {
        points.push_back({static_cast<double>(w), 1000.0 * static_cast<double>(i), gpu});
      }
    }
  }
  return points;
}

core::Table TableOf(const std::vector<GridPoint>& points) {
  std::vector<double> workers;
  std::vector<double> images;
  std::vector<double> gpu;
  for (const GridPoint& point : points) {
    workers.push_back(point.workers);
    images.push_back(point.images);
    gpu.push_back(point.gpu);
  }
  core::Table table;
  table.source = "grid";
  table.columns.push_back(core::Column::Numbers("workers", core::NumberVector::Of(workers)));
  table.columns.push_back(core::Column::Numbers("images", core::NumberVector::Of(images)));
  table.columns.push_back(
      core::Column::Categories("gpu", {"k80", "p100"}, core::NumberVector::Of(gpu)));
  table.row_count = points.size();
  return table;
}

// Ernest's law, one GPU three times as fast, and noise of 2 %.
double Law(const GridPoint& point, base::Rng& rng) {
  const double speed = point.gpu == 0 ? 1 : 3;
  return (5 + point.images / point.workers / 20 / speed + 0.3 * point.workers) *
         std::exp(0.02 * rng.Normal());
}

class Campaign {
 public:
  explicit Campaign(std::vector<GridPoint> points, uint64_t seed = 3)
      : points_(std::move(points)), table_(TableOf(points_)), problem_{.candidates = table_} {
    base::Rng rng(seed);
    for (const GridPoint& point : points_) times_.push_back(Law(point, rng));
  }

  // False when the design has nothing more.
  bool Step(Design& design) {
    auto choice = design.Next(problem_);
    EXPECT_TRUE(choice.ok());
    if (!choice.ok() || !choice->has_value()) return false;
    last_ = **choice;
    problem_.measured.push_back({last_.row, times_[last_.row]});
    spent_ += times_[last_.row];
    return true;
  }

  DesignProblem& problem() { return problem_; }
  const std::vector<GridPoint>& points() const { return points_; }
  const std::vector<double>& times() const { return times_; }
  const DesignChoice& last() const { return last_; }
  double spent() const { return spent_; }
  double total() const {
    double sum = 0;
    for (const double time : times_) sum += time;
    return sum;
  }

 private:
  std::vector<GridPoint> points_;
  core::Table table_;
  DesignProblem problem_;
  std::vector<double> times_;
  DesignChoice last_;
  double spent_ = 0;
};

TEST(DesignTest, EveryDesignMeasuresEveryCandidateOnceAndThenEnds) {
  for (const DesignKind kind : {DesignKind::kGrid, DesignKind::kRandom, DesignKind::kOptimal}) {
    Campaign campaign(Points(4, 3));
    const auto design = MakeDesign({.kind = kind});
    std::set<size_t> rows;
    while (campaign.Step(*design)) rows.insert(campaign.last().row);
    EXPECT_EQ(rows.size(), campaign.points().size()) << DesignKindName(kind);
    EXPECT_EQ(campaign.problem().measured.size(), campaign.points().size());
  }
}

TEST(DesignTest, ExcludedCandidatesAreNotChosenAndRepeatsAreAllowedWhenWanted) {
  for (const DesignKind kind : {DesignKind::kGrid, DesignKind::kRandom, DesignKind::kOptimal}) {
    Campaign campaign(Points(2, 2));
    campaign.problem().excluded = {0, 3};
    campaign.problem().repeats = 2;
    const auto design = MakeDesign({.kind = kind});
    std::vector<size_t> times(campaign.points().size());
    while (campaign.Step(*design)) ++times[campaign.last().row];
    EXPECT_THAT(times, testing::ElementsAre(0, 2, 2, 0, 2, 2, 2, 2)) << DesignKindName(kind);
  }
}

TEST(DesignTest, TheGridComesInItsOrder) {
  Campaign campaign(Points(2, 2));
  const auto design = MakeDesign({.kind = DesignKind::kGrid});
  for (size_t row = 0; row < 4; ++row) {
    ASSERT_TRUE(campaign.Step(*design));
    EXPECT_EQ(campaign.last().row, row);
  }
}

TEST(DesignTest, TheSeedFixesTheChoicesAndWhatIsKeptBetweenCallsDoesNotMatter) {
  for (const DesignKind kind : {DesignKind::kRandom, DesignKind::kOptimal}) {
    Campaign kept(Points(6, 4));
    Campaign fresh(Points(6, 4));
    const auto design = MakeDesign({.kind = kind, .seed = 7});
    for (int i = 0; i < 25; ++i) {
      ASSERT_TRUE(kept.Step(*design));
      ASSERT_TRUE(fresh.Step(*MakeDesign({.kind = kind, .seed = 7})));
      ASSERT_EQ(kept.last().row, fresh.last().row) << DesignKindName(kind) << " step " << i;
    }
  }
}

TEST(OptimalDesignTest, BeginsWithEveryLevelAndBothEndsOfEveryNumber) {
  Campaign campaign(Points(8, 6));
  const auto design = MakeDesign({});
  for (int i = 0; i < 6; ++i) ASSERT_TRUE(campaign.Step(*design));
  std::set<double> workers;
  std::set<double> images;
  std::set<double> gpus;
  for (const Measurement& measurement : campaign.problem().measured) {
    const GridPoint& point = campaign.points()[measurement.row];
    workers.insert(point.workers);
    images.insert(point.images);
    gpus.insert(point.gpu);
  }
  EXPECT_THAT(workers, testing::IsSupersetOf({1.0, 8.0}));
  EXPECT_THAT(images, testing::IsSupersetOf({1000.0, 6000.0}));
  EXPECT_EQ(gpus.size(), 2U);
}

TEST(OptimalDesignTest, TheFirstMeasurementIsACheapOne) {
  Campaign campaign(Points(8, 6));
  ASSERT_TRUE(campaign.Step(*MakeDesign({})));
  EXPECT_LT(campaign.spent(), campaign.total() / static_cast<double>(campaign.times().size()));
}

TEST(OptimalDesignTest, SpendsLessThanChanceForTheSameCertainty) {
  for (const Criterion criterion : {Criterion::kA, Criterion::kD}) {
    double spent[2] = {0, 0};
    for (const DesignKind kind : {DesignKind::kOptimal, DesignKind::kRandom}) {
      Campaign campaign(Points(12, 8));
      const auto design = MakeDesign({.kind = kind, .criterion = criterion});
      KernelCache kernels{base::Rng(1)};
      double error = 100;
      while (error > 5 && campaign.Step(*design)) {
        const auto expected = EstimateError(campaign.problem(), kernels);
        ASSERT_TRUE(expected.ok());
        if (*expected) error = (*expected)->unmeasured_percent;
      }
      EXPECT_LE(error, 5);
      spent[kind == DesignKind::kRandom] = campaign.spent();
    }
    EXPECT_LT(spent[0], 0.7 * spent[1]);
  }
}

TEST(OptimalDesignTest, MeasuresAgainWhatItDoesNotBelieve) {
  Campaign campaign(Points(6, 4));
  campaign.problem().repeats = 5;
  const auto design = MakeDesign({});
  for (int i = 0; i < 15; ++i) {
    ASSERT_TRUE(campaign.Step(*design));
    ASSERT_FALSE(campaign.last().again) << "after " << i;
  }
  // A moment in which somebody else had the machine.
  std::vector<Measurement>& measured = campaign.problem().measured;
  const size_t row = measured.back().row;
  const double truth = measured.back().seconds;
  const auto next = [&] { return design->Next(campaign.problem()).value().value(); };
  measured.back().seconds = 3 * truth;
  EXPECT_EQ(next().row, row);
  EXPECT_TRUE(next().again);
  EXPECT_THAT(next().why, HasSubstr("again"));
  // Neither of two that differ is believed; of three the middle one is.
  measured.push_back({row, truth});
  EXPECT_EQ(next().row, row);
  measured.push_back({row, truth});
  EXPECT_NE(next().row, row);
  EXPECT_FALSE(next().again);
  // Two that agree are believed, strange as they are.
  measured.pop_back();
  measured.back().seconds = 3.01 * truth;
  EXPECT_NE(next().row, row);
  // What may not be repeated, or does not fit any more, is not.
  measured.pop_back();
  campaign.problem().time_left_s = 2 * truth;
  EXPECT_FALSE(next().again);
  campaign.problem().time_left_s.reset();
  campaign.problem().repeats = 1;
  EXPECT_FALSE(next().again);
}

TEST(OptimalDesignTest, PricesMakeDearCandidatesRarer) {
  size_t dear[2] = {0, 0};
  for (const bool priced : {false, true}) {
    Campaign campaign(Points(8, 6));
    if (priced) {
      for (const GridPoint& point : campaign.points()) {
        campaign.problem().price_per_hour.push_back(point.gpu == 0 ? 1 : 100);
      }
    }
    const auto design = MakeDesign({});
    for (int i = 0; i < 24; ++i) {
      ASSERT_TRUE(campaign.Step(*design));
      dear[priced] += campaign.points()[campaign.last().row].gpu == 1 ? 1 : 0;
      if (priced && i > 0) {
        const double price = campaign.problem().price_per_hour[campaign.last().row];
        EXPECT_NEAR(campaign.last().expected_cost, campaign.last().expected_s * price / 3600,
                    1e-9 * campaign.last().expected_cost);
      }
    }
  }
  EXPECT_LT(3 * dear[1], 2 * dear[0]);
  EXPECT_GT(dear[1], 0U);
}

TEST(OptimalDesignTest, ExpectsTheTimesThatComeAndTellsWhy) {
  Campaign campaign(Points(8, 6));
  const auto design = MakeDesign({});
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(campaign.Step(*design));
  EXPECT_THAT(campaign.last().why, HasSubstr("surest"));
  for (int i = 0; i < 10; ++i) {
    ASSERT_TRUE(campaign.Step(*design));
    EXPECT_NEAR(campaign.last().expected_s / campaign.times()[campaign.last().row], 1, 0.35);
  }
}

TEST(OptimalDesignTest, LeavesOutWhatShouldNotFitIntoWhatIsLeft) {
  Campaign campaign(Points(8, 6));
  const auto design = MakeDesign({});
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(campaign.Step(*design));
  campaign.problem().time_left_s = 30;
  size_t more = 0;
  while (campaign.Step(*design)) {
    EXPECT_LE(campaign.last().expected_s, 30);
    ++more;
  }
  EXPECT_GT(more, 0U);
  EXPECT_LT(campaign.problem().measured.size(), campaign.points().size());
}

TEST(OptimalDesignTest, ChoosesAmongAThousandInWellUnderASecond) {
  Campaign campaign(Points(25, 20));
  ASSERT_EQ(campaign.points().size(), 1000U);
  base::Rng rng(5);
  for (const size_t row : rng.Permutation(1000)) {
    if (campaign.problem().measured.size() == 200) break;
    campaign.problem().measured.push_back({row, campaign.times()[row]});
  }
  const auto design = MakeDesign({});
  ASSERT_TRUE(campaign.Step(*design));  // chooses the kernel, which the next ones keep
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 5; ++i) ASSERT_TRUE(campaign.Step(*design));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
}

TEST(ExpectedErrorTest, FewMeasurementsTellNothing) {
  Campaign campaign(Points(10, 6));
  const auto design = MakeDesign({});
  KernelCache kernels{base::Rng(1)};
  for (int i = 0; i < 4; ++i) ASSERT_TRUE(campaign.Step(*design));
  const auto expected = EstimateError(campaign.problem(), kernels);
  ASSERT_TRUE(expected.ok());
  EXPECT_FALSE(expected->has_value());
}

// Of the surrogate's own forecasts at what was not measured.
double RealPercent(Campaign& campaign, KernelCache& kernels) {
  const Space space = MakeSpace(campaign.problem().candidates);
  const auto surrogate = Surrogate::Condition(
      space, kernels.For(space, campaign.problem().measured), Collect(campaign.problem().measured));
  EXPECT_TRUE(surrogate.ok());
  const std::vector<size_t> others = NextRows(campaign.problem());
  const Vector forecast = surrogate->Look(others).log_seconds;
  double error = 0;
  for (size_t i = 0; i < others.size(); ++i) {
    const double ratio =
        std::exp(forecast(static_cast<Eigen::Index>(i))) / campaign.times()[others[i]];
    error += 100 * std::fabs(ratio - 1) / static_cast<double>(others.size());
  }
  return error;
}

TEST(ExpectedErrorTest, IsAboutTheErrorOfForecastsAndNotOptimistic) {
  std::vector<double> ratios;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    Campaign campaign(Points(10, 6), seed);
    const auto design = MakeDesign({});
    KernelCache kernels{base::Rng(1)};
    for (int i = 0; i < 60; ++i) {
      ASSERT_TRUE(campaign.Step(*design));
      if (i % 10 != 9) continue;
      const auto expected = EstimateError(campaign.problem(), kernels);
      ASSERT_TRUE(expected.ok() && expected->has_value());
      ratios.push_back((*expected)->unmeasured_percent / RealPercent(campaign, kernels));
    }
  }
  EXPECT_GT(numeric::Mean(ratios), 1);
  EXPECT_LT(numeric::Mean(ratios), 1.5);
}

TEST(ExpectedErrorTest, AModelThatDoesWorseCounts) {
  const ExpectedError process{.unmeasured_percent = 4, .left_out_percent = 3, .harder = 2};
  EXPECT_DOUBLE_EQ(ExpectedPercent(process, 1), 5);
  EXPECT_DOUBLE_EQ(ExpectedPercent(process, 8), 20);
  EXPECT_DOUBLE_EQ(ExpectedPercent({.unmeasured_percent = 4, .harder = 0.5}, 8), 10);
}

TEST(DesignTest, ProblemsThatMakeNoSenseAreRefused) {
  const core::Table table = TableOf(Points(2, 2));
  core::Table empty;
  const auto refused = [](const DesignProblem& problem) {
    for (const DesignKind kind : {DesignKind::kGrid, DesignKind::kRandom, DesignKind::kOptimal}) {
      const auto choice = MakeDesign({.kind = kind})->Next(problem);
      if (choice.ok() || choice.error().code() != base::ErrorCode::kBadInput) return false;
    }
    return true;
  };
  EXPECT_TRUE(refused({.candidates = empty}));
  EXPECT_TRUE(refused({.candidates = table, .price_per_hour = {1, 2}}));
  EXPECT_TRUE(refused({.candidates = table, .price_per_hour = std::vector<double>(8, 0)}));
  EXPECT_TRUE(refused({.candidates = table, .measured = {{8, 1}}}));
  EXPECT_TRUE(refused({.candidates = table, .measured = {{0, 0}}}));
  EXPECT_TRUE(refused({.candidates = table, .measured = {{0, NAN}}}));
  EXPECT_TRUE(refused({.candidates = table, .excluded = {8}}));
  EXPECT_FALSE(refused({.candidates = table}));
}

TEST(DesignTest, NamesAreRead) {
  EXPECT_EQ(*ParseDesignKind("random"), DesignKind::kRandom);
  EXPECT_EQ(*ParseCriterion("D"), Criterion::kD);
  EXPECT_FALSE(ParseDesignKind("best").ok());
  EXPECT_FALSE(ParseCriterion("e").ok());
}

TEST(OptimalDesignTest, CandidatesThatDoNotVaryAreMeasuredAllTheSame) {
  core::Table table = TableOf({{1, 1000, 0}, {1, 1000, 0}});
  DesignProblem problem{.candidates = table, .measured = {{0, 5}}};
  const auto choice = MakeDesign({})->Next(problem);
  ASSERT_TRUE(choice.ok() && choice->has_value());
  EXPECT_EQ((*choice)->row, 1U);
}

TEST(CoverTest, CountsWhatIsNew) {
  const Space space = MakeSpace(TableOf(Points(3, 3)));
  const std::vector<size_t> none;
  const std::vector<size_t> rows{0, 8, 17};  // a corner, the middle with k80, the opposite corner
  EXPECT_THAT(NewlyCovered(space, none, rows), testing::ElementsAre(3, 1, 3));
  const std::vector<size_t> seen{0};
  EXPECT_THAT(NewlyCovered(space, seen, rows), testing::ElementsAre(0, 0, 3));
}

}  // namespace
}  // namespace reckon::decide
