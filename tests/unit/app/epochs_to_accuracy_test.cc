#include "app/recommend/epochs_to_accuracy.h"

#include <gmock/gmock.h>

#include "app/recommend/worker_batches.h"
#include "core/table_builder.h"

namespace reckon::app {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

core::Table Trainings() {
  core::TableBuilder builder;
  const auto add = [&](double run, const char* strategy, double workers, double epoch,
                       std::optional<double> accuracy) {
    core::Row row{{"run", run},
                  {"strategy", strategy},
                  {"workers", workers},
                  {"batch", 32.0},
                  {"epoch", epoch}};
    if (accuracy) row.emplace_back("accuracy", *accuracy);
    builder.AddRow(row);
  };
  add(1, "all-reduce", 4, 1, 0.4);
  add(1, "all-reduce", 4, 1, std::nullopt);  // another worker
  add(1, "all-reduce", 4, 2, 0.8);
  add(2, "async-ps", 4, 1, 0.3);
  add(2, "async-ps", 4, 2, 0.5);
  return std::move(builder).Finish("epochs");
}

TEST(EpochsToAccuracyTest, ReadsTrainings) {
  const auto seen = EpochsSeenIn(Trainings(), 0.6);
  ASSERT_EQ(seen.size(), 2U);
  EXPECT_EQ(seen[0].batch, 128) << "an update is that of all workers";
  EXPECT_EQ(seen[0].staleness, 0);
  EXPECT_DOUBLE_EQ(seen[0].epochs, 1.5);
  EXPECT_TRUE(seen[0].reached);
  EXPECT_EQ(seen[1].batch, 32);
  EXPECT_EQ(seen[1].staleness, 3);
  EXPECT_EQ(seen[1].epochs, 2);
  EXPECT_FALSE(seen[1].reached);
  EXPECT_THAT(EpochsLawOf(Trainings(), 0.9).error().Describe(),
              HasSubstr("no run of the campaign has reached an accuracy of 0.9; the best has 0.8"));
  EXPECT_THAT(EpochsLawOf(core::Table{}, 0.9).error().Describe(),
              HasSubstr("do not tell their accuracy"));
}

TEST(WorkerBatchesTest, AnUpdateStaysAsTheJobHasIt) {
  core::Job job;
  job.trainer.emplace();
  job.trainer->batches = {64};
  job.workers = 2;
  CampaignSamples samples;
  const WorkerBatches in_step(job, samples, false);
  EXPECT_THAT(in_step.For("", 1), ElementsAre(128));
  EXPECT_THAT(in_step.For("", 4), ElementsAre(32));
  EXPECT_THAT(in_step.For("", 200), IsEmpty()) << "fewer images than workers";
  EXPECT_THAT(in_step.For("async-ps", 4), ElementsAre(128));
  job.trainer->strategy = core::Strategy::kAsyncParameterServer;
  const WorkerBatches alone(job, samples, false);
  EXPECT_THAT(alone.For("", 4), ElementsAre(64));
  core::TableBuilder runs;
  runs.AddRow({{"batch", 16.0}});
  runs.AddRow({{"batch", 256.0}});
  samples.runs = std::move(runs).Finish("runs");
  EXPECT_THAT(WorkerBatches(job, samples, true).For("", 4), ElementsAre(16, 256));
  EXPECT_THAT(WorkerBatches(core::Job{}, samples, false).For("", 4), ElementsAre(0));
}

}  // namespace
}  // namespace reckon::app
