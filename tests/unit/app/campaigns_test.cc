#include <set>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/campaigns/history.h"
#include "app/campaigns/next_point.h"
#include "app/campaigns/points.h"
#include "app/campaigns/standing.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/progress.h"
#include "core/table_builder.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/support/temp_folder.h"

namespace reckon::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

constexpr const char* kJob = "job: {trainer: {network: lenet5}}\n";

class CampaignPointsTest : public ::testing::Test {
 protected:
  spec::CampaignFile File(const std::string& text) {
    return spec::ReadCampaignFile(folder_.Write("grid.yaml", kJob + text)).value();
  }
  support::TempFolder folder_;
};

TEST_F(CampaignPointsTest, AGridHasEveryCombinationOnce) {
  const auto points = PointsOf(File(R"(
set: {trainer.epochs: 3}
vary:
  "num_nodes, resources.cpus": [[1, 2], [2, 1]]
  trainer.batch: [16, 32, 16]
)"))
                          .value();
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(ValuesText(points[0]), "num_nodes=1 cpus=2 batch=16");
  EXPECT_EQ(ValuesText(points[3]), "num_nodes=2 cpus=1 batch=32");
  EXPECT_EQ(points[3].file.job.workers, 2);
  EXPECT_EQ(points[3].file.job.cpus_per_worker, 1);
  EXPECT_EQ(points[3].file.job.trainer->epochs, 3);
  EXPECT_THAT(points[3].file.job.trainer->batches, ElementsAre(32));
  EXPECT_EQ(points[0].engine, "local");
  EXPECT_EQ(points[0].file.job.name, "grid");
  const auto alike = PointsOf(File(R"(
vary:
  background.a.stress.cpu: [10]
  background.b.stress.cpu: [20]
)"));
  EXPECT_EQ(ValuesText(alike->front()), "a.stress.cpu=10 b.stress.cpu=20");
}

TEST_F(CampaignPointsTest, WhatNoOtherColumnTellsIsKept) {
  const auto points = PointsOf(File(R"(
vary:
  background.a.stress.cpu: [10]
  background.web.run: [./quick, ./slow]
  background.web.settle: [1s, 20s]
  envs.LIMIT: [3]
  trainer.batch: [16]
)"))
                          .value();
  ASSERT_EQ(points.size(), 4U) << "how long to wait is a part of a job";
  EXPECT_NE(points[0].key, points[1].key);
  EXPECT_THAT(UntoldValues(points[0]),
              ElementsAre(Pair("background.web.run", "./quick"),
                          Pair("background.web.settle", "1s"), Pair("envs.LIMIT", "3")));
}

TEST_F(CampaignPointsTest, PointsAreKnownAgainInAChangedFile) {
  const auto before = PointsOf(File("vary: {trainer.batch: [16, 32]}\n")).value();
  const auto after =
      PointsOf(File("seed: 5\nrepeats: 3\nvary: {trainer.batch: [8, 16, 32]}\n")).value();
  EXPECT_EQ(before[0].key, after[1].key);
  EXPECT_EQ(before[1].key, after[2].key);
  EXPECT_NE(before[0].key, before[1].key);
  const auto other = PointsOf(File("set: {trainer.epochs: 9}\nvary: {trainer.batch: [16]}\n"));
  EXPECT_NE(before[0].key, other->front().key);
}

TEST_F(CampaignPointsTest, PoolsGiveHostsAndPrices) {
  const auto points = PointsOf(File(R"(
lab: {name: quad, hosts: [{name: s, count: 3}, {name: b, count: 2, cpus: 2}]}
pools: {small: {hosts: [s*], price: 0.5}, big: {hosts: [b1, b0]}}
vary: {pool: [small, big], num_nodes: [2]}
)"))
                          .value();
  ASSERT_EQ(points.size(), 2U);
  EXPECT_EQ(points[0].engine, "lab:quad/s0,s1,s2");
  EXPECT_EQ(points[0].price_per_hour, 1);
  EXPECT_EQ(points[1].engine, "lab:quad/b1,b0");
  EXPECT_THAT(PointsOf(File("vary: {pool: [small]}\n")).error().Describe(),
              HasSubstr("line 2: vary.pool[0]: expected the name of a pool"));
}

TEST_F(CampaignPointsTest, RandomPointsComeFromTheSeed) {
  const std::string text = R"(
design: random
trials: 200
vary:
  trainer.batch: {from: 1, to: 4, whole: true}
  trainer.rate: {from: 0.001, to: 0.1, scale: log}
  trainer.optimizer: [sgd, adam]
)";
  const auto points = PointsOf(File(text)).value();
  ASSERT_EQ(points.size(), 200U);
  EXPECT_EQ(points[77].key, PointsOf(File(text))->at(77).key);
  EXPECT_NE(points[0].key, PointsOf(File("seed: 2" + text))->front().key);
  std::set<int64_t> batches;
  int slow = 0;
  for (const CampaignPoint& point : points) {
    const core::TrainerJob& job = *point.file.job.trainer;
    batches.insert(job.batches[0]);
    EXPECT_GE(job.optimiser.rate, 0.001);
    EXPECT_LE(job.optimiser.rate, 0.1);
    slow += job.optimiser.rate < 0.01;
  }
  EXPECT_EQ(batches.size(), 4U);
  EXPECT_NEAR(slow, 100, 30);  // half of the logarithms
  // A space that is smaller than the trials gives all it has.
  EXPECT_EQ(PointsOf(File("design: random\nvary: {trainer.batch: [1, 2, 3]}\n"))->size(), 3U);
}

TEST_F(CampaignPointsTest, WrongValuesAreNamedWhereTheyAreWritten) {
  const auto problem = [&](const std::string& text) {
    return PointsOf(File(text)).error().Describe();
  };
  EXPECT_THAT(problem("vary:\n  trainer.batch: [16, many]\n"),
              HasSubstr("grid.yaml, line 3: job.trainer.batch: expected a whole number"));
  EXPECT_THAT(problem("vary: {trainer.batsch: [16]}\n"), HasSubstr("batsch"));
  EXPECT_THAT(problem("vary: {trainer.rate: {from: 1, to: 2}}\n"), HasSubstr("a grid has no"));
}

// All points but the last few, measured with this outcome: nobody needs the others to know that
// time grows with the images.
std::optional<size_t> ChosenAfter(const spec::CampaignFile& file, Outcome outcome,
                                  std::string& why) {
  CampaignReport report;
  std::vector<CampaignPoint> points = PointsOf(file).value();
  const size_t measured = points.size() - 2;
  for (CampaignPoint& point : points) {
    PointReport one;
    const auto images = static_cast<double>(point.file.job.trainer->data.images);
    one.state = report.points.size() < measured ? "measured" : "waiting";
    if (one.state == "measured") one.attempts = {{1, outcome, images * 1e-3, 1, ""}};
    one.point = std::move(point);
    report.points.push_back(std::move(one));
  }
  std::vector<base::Json> plans;
  for (const PointReport& point : report.points) {
    plans.push_back(base::Json{{"images", point.point.file.job.trainer->data.images}});
  }
  const auto next = MakeNextPoint(file, report.points, plans).value();
  const auto chosen = next->Choose(report).value();
  why = next->why_ended();
  return chosen;
}

TEST_F(CampaignPointsTest, OnAMachineThatIsNeverQuietDesignsLearnFromWhatThereIs) {
  const auto file = File(R"(
design: optimal
limits: {error: 20%}
vary:
  trainer.data.images: [1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10000]
)");
  for (const Outcome outcome : {Outcome::kMeasured, Outcome::kNoisy}) {
    std::string why;
    EXPECT_EQ(ChosenAfter(file, outcome, why), std::nullopt) << OutcomeName(outcome);
    EXPECT_THAT(why, HasSubstr("forecasts should be within")) << OutcomeName(outcome);
  }
  std::string why;
  EXPECT_NE(ChosenAfter(file, Outcome::kFailed, why), std::nullopt);
}

TEST_F(CampaignPointsTest, MoneyIsThatOfUndilatedTime) {
  const std::string text = R"(
design: optimal
lab: {name: slow, dilation: 10, hosts: [{name: h, count: 2}]}
pools: {all: {hosts: [h*], price: 3600}}
limits: {cost: COST}
vary:
  pool: [all]
  trainer.data.images: [1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10000]
)";
  // A second of the lab costs 0.1, and every point took one: 0.5 are left for the next.
  const auto chosen = [&](const std::string& cost) {
    std::string with = text;
    with.replace(with.find("COST"), 4, cost);
    std::string why;
    return ChosenAfter(File(with), Outcome::kMeasured, why);
  };
  EXPECT_NE(chosen("0.5"), std::nullopt);
  EXPECT_EQ(chosen("0.05"), std::nullopt);
}

TEST_F(CampaignPointsTest, OptimalDoubtsAPointNotForEverOnAMachineThatIsNeverQuiet) {
  const auto file = File(R"(
design: optimal
repeats: 9
quiet: {retries: 2}
vary:
  trainer.data.images: [1000, 2000, 3000, 4000, 5000, 6000, 7000, 8000, 9000, 10000, 11000, 12000]
)");
  CampaignReport report;
  for (CampaignPoint& point : PointsOf(file).value()) {
    PointReport one;
    const auto images = static_cast<double>(point.file.job.trainer->data.images);
    one.state = "measured";
    const auto run = static_cast<int64_t>(report.points.size());
    one.attempts = {{run, Outcome::kMeasured, images * 1e-3, 1, ""}};
    one.point = std::move(point);
    report.points.push_back(std::move(one));
  }
  std::vector<base::Json> plans;
  for (const PointReport& point : report.points) {
    plans.push_back(base::Json{{"images", point.point.file.job.trainer->data.images}});
  }
  const auto choose = [&] {
    return MakeNextPoint(file, report.points, plans).value()->Choose(report).value();
  };
  EXPECT_EQ(choose(), std::nullopt);  // all are measured, and none is strange
  report.points.back().attempts[0].value *= 5;
  EXPECT_EQ(choose(), report.points.size() - 1);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(choose(), report.points.size() - 1) << i;
    report.points.back().attempts.push_back({100 + i, Outcome::kNoisy, 12, 1, ""});
  }
  EXPECT_EQ(choose(), std::nullopt);
}

Attempt Of(Outcome outcome, double value) { return {1, outcome, value, 1, ""}; }

TEST(StandingTest, RepeatsUntilTheMeanIsKnown) {
  spec::CampaignFile file;
  file.least_repeats = 2;
  file.most_repeats = 4;
  file.within = 0.05;
  std::vector<Attempt> attempts;
  const auto wants = [&] { return WantsMore(StandingOf(attempts), file); };
  EXPECT_TRUE(wants());
  attempts.push_back(Of(Outcome::kMeasured, 1.0));
  EXPECT_TRUE(wants());
  attempts.push_back(Of(Outcome::kMeasured, 1.02));
  EXPECT_FALSE(wants());  // 1 % of standard error
  attempts.back().value = 1.5;
  EXPECT_TRUE(wants());
  attempts.push_back(Of(Outcome::kMeasured, 1.2));
  EXPECT_TRUE(wants());
  attempts.push_back(Of(Outcome::kMeasured, 3));
  EXPECT_FALSE(wants());  // enough is enough
  EXPECT_NEAR(*StandingOf(attempts).mean, 1.675, 1e-12);
}

TEST(StandingTest, DrawnPointsAreMeasuredOnceMore) {
  const spec::CampaignFile file;
  std::vector<Attempt> attempts{Of(Outcome::kMeasured, 1.0)};
  EXPECT_FALSE(WantsMore(StandingOf(attempts), file, false));
  EXPECT_TRUE(WantsMore(StandingOf(attempts), file, true));
  attempts.push_back(Of(Outcome::kMeasured, 2.0));
  EXPECT_FALSE(WantsMore(StandingOf(attempts), file, true));
}

TEST(StandingTest, DisturbedOnesAreMeasuredAgainAFewTimes) {
  spec::CampaignFile file;
  file.retries = 2;
  std::vector<Attempt> attempts{Of(Outcome::kNoisy, 9), Of(Outcome::kNoisy, 8)};
  EXPECT_TRUE(WantsMore(StandingOf(attempts), file));
  attempts.push_back(Of(Outcome::kNoisy, 7));
  EXPECT_FALSE(WantsMore(StandingOf(attempts), file));
  EXPECT_EQ(StandingOf(attempts).mean, 8);
  attempts.push_back(Of(Outcome::kMeasured, 1));
  EXPECT_EQ(StandingOf(attempts).mean, 1);
}

TEST(StandingTest, FailuresAreTriedAFewTimesAndVoidOnesDoNotCount) {
  spec::CampaignFile file;
  file.attempts = 2;
  std::vector<Attempt> attempts{Of(Outcome::kVoid, 0), Of(Outcome::kFailed, 0)};
  for (int i = 0; i < 9; ++i) attempts.push_back(Of(Outcome::kVoid, 0));
  EXPECT_TRUE(WantsMore(StandingOf(attempts), file));
  attempts.push_back(Of(Outcome::kFailed, 0));
  EXPECT_FALSE(WantsMore(StandingOf(attempts), file));
}

TEST(StandingTest, FarOffValuesAreMarked) {
  EXPECT_THAT(FarOff({1, 1.01, 0.99, 1.02, 5}), ElementsAre(4));
  EXPECT_THAT(FarOff({1, 1.01, 0.99, 1.02, 1.04}), IsEmpty());
  EXPECT_THAT(FarOff({1, 1, 1, 1, 1.04}), IsEmpty());  // not worth a word
  EXPECT_THAT(FarOff({1, 1, 5}), IsEmpty());           // nobody can tell
}

TEST(HistoryTest, KnowsWhatRunsTookAndCost) {
  const support::TempFolder folder;
  const base::SystemClock clock;
  const auto store = store::SqliteStore::Open(folder / "x.db", clock).value();
  const core::Campaign campaign = store->SaveCampaign("c", "{}").value();
  core::Run run;
  run.name = "c";
  run.job = "{}";
  run.plan = R"({"price_per_hour": 2.5})";
  run.campaign_id = campaign.id;
  run.point = "p";
  run = store->AddRun(run).value();
  for (const auto state :
       {core::RunState::kPlanning, core::RunState::kStarting, core::RunState::kRunning}) {
    run = store->MoveRun(run.id, run.state, state, "").value();
  }
  core::TableBuilder rows;
  rows.AddRow({{"run", static_cast<double>(run.id)}, {"wall_s", 3.0}});
  const core::CollectedRows kept{"c.runs", std::move(rows).Finish(core::kCollected)};
  ASSERT_TRUE(store->FinishRun(run.id, run.state, core::RunState::kFinished, "", {&kept, 1}).ok());
  base::NoProgress progress;
  base::Logger log(base::LogLevel::kError);
  const Context context{clock, log, progress, {}, 1, folder / "x.db"};
  const History history = LoadHistory(*store, campaign, "wall_s", context).value();
  ASSERT_EQ(history.by_point.at("p").size(), 1U);
  const Attempt& attempt = history.by_point.at("p").front();
  EXPECT_EQ(attempt.outcome, Outcome::kMeasured);
  EXPECT_EQ(attempt.value, 3);
  EXPECT_EQ(attempt.price_per_hour, 2.5);
}

}  // namespace
}  // namespace reckon::app
