// What the events of a run tell: views and samples.
#include <cmath>
#include <set>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "app/runs/engine.h"
#include "app/runs/job_json.h"
#include "app/runs/run_samples.h"
#include "app/runs/run_view.h"
#include "base/json.h"
#include "core/table_builder.h"
#include "tests/unit/app/two_worker_job.h"

namespace reckon::app {
namespace {

using base::Json;
using ::testing::Contains;
using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(EngineNameTest, NamesALabAndItsHosts) {
  // More than a string keeps in itself.
  const auto some = ParseEngineName("lab:edge/pi,nano0,nano1,nano2,nano3,nano4,tx2").value();
  EXPECT_EQ(some.lab, "edge");
  EXPECT_THAT(some.hosts, ElementsAre("pi", "nano0", "nano1", "nano2", "nano3", "nano4", "tx2"));
  EXPECT_THAT(ParseEngineName("lab:quad").value().hosts, IsEmpty());
  EXPECT_EQ(ParseEngineName("local").value().lab, "");
  EXPECT_THAT(ParseEngineName("cloud").error().Describe(), HasSubstr("'cloud' is no engine"));
}

RunView ViewOf(const std::vector<const char*>& lines) {
  RunView view;
  for (const char* line : lines) view.Add(Json::parse(line));
  return view;
}

// Two workers, one epoch of two steps each, validation on 30 and 10 images.
RunView TwoWorkers() {
  return ViewOf({
      R"({"kind":"run.state","at":10,"state":"running"})",
      R"({"kind":"rank.started","at":10,"role":"worker","index":1,"pid":12,"host":"h1"})",
      R"({"kind":"rank.started","at":10,"role":"worker","index":0,"pid":11,"host":"h0"})",
      R"({"kind":"progress","at":11,"role":"worker","index":0,"done":0,"total":100,"unit":"images"})",
      R"({"kind":"progress","at":11,"role":"worker","index":1,"done":0,"total":100,"unit":"images"})",
      R"({"kind":"steps","at":12,"role":"worker","index":0,"epoch":0,"first":0,
          "compute_s":[0.1,0.3],"push_s":[0.01,0.03],"bytes_sent":[5,5]})",
      R"({"kind":"steps","at":12,"role":"worker","index":1,"epoch":0,"first":0,
          "compute_s":[0.2,0.2],"push_s":[0.02,0.02],"bytes_sent":[7,7]})",
      R"({"kind":"progress","at":13,"role":"worker","index":0,"done":50,"total":100,"unit":"images"})",
      R"({"kind":"stage","at":13,"role":"worker","index":0,"stage":"train_epoch","seconds":2,"epoch":0})",
      R"({"kind":"stage","at":13,"role":"worker","index":1,"stage":"train_epoch","seconds":3,"epoch":0})",
      R"({"kind":"metric","at":13,"role":"worker","index":0,"name":"validated","value":30,"epoch":0})",
      R"({"kind":"metric","at":13,"role":"worker","index":0,"name":"accuracy","value":0.5,"epoch":0})",
      R"({"kind":"metric","at":13,"role":"worker","index":1,"name":"validated","value":10,"epoch":0})",
      R"({"kind":"metric","at":13,"role":"worker","index":1,"name":"accuracy","value":0.9,"epoch":0})",
      R"({"kind":"stage","at":14,"role":"worker","index":0,"stage":"training_loop","seconds":4})",
      R"({"kind":"rank.usage","at":15,"role":"worker","index":0,"wall_s":5,"cpu_s":3,
          "peak_memory_bytes":100,"bytes_sent":20,"bytes_received":30,"complete":true})",
  });
}

TEST(RunViewTest, FoldsEvents) {
  const RunView view = TwoWorkers();
  ASSERT_EQ(view.ranks.size(), 2);
  EXPECT_EQ(view.ranks[0].index, 0);
  EXPECT_EQ(view.ranks[0].host, "h0");
  EXPECT_EQ(view.ranks[1].pid, 12);
  const auto epochs = view.Epochs();
  ASSERT_EQ(epochs.size(), 1);
  EXPECT_DOUBLE_EQ(*epochs[0].accuracy, 0.6);  // (30 * 0.5 + 10 * 0.9) / 40
  EXPECT_EQ(epochs[0].train_s, 3);
  // Worker 0 has done 50 of 100 images in the 2 s since it first told: the others take 2 s more.
  const auto progress = view.WorkersProgress(13);
  EXPECT_EQ(progress.done, 50);
  EXPECT_EQ(progress.total, 200);
  EXPECT_THAT(*progress.remaining_s, DoubleNear(2, 1e-9));
}

RunView Telling(const std::vector<std::pair<double, double>>& told, double total = 100) {
  RunView view;
  for (const auto& [at, done] : told) {
    view.Add({{"kind", "progress"},
              {"at", at},
              {"role", "worker"},
              {"index", 0},
              {"done", done},
              {"total", total}});
  }
  return view;
}

TEST(RunViewTest, WhatIsLeftShrinksBetweenTellingsAndGrowsInSilence) {
  // 10 every 10 s.
  const RunView view = Telling({{0, 40}, {10, 50}, {20, 60}});
  const auto left = [&](double now) { return *view.WorkersProgress(now).remaining_s; };
  EXPECT_DOUBLE_EQ(left(20), 40);
  EXPECT_DOUBLE_EQ(left(25), 35);
  EXPECT_DOUBLE_EQ(left(30), 30);
  EXPECT_GT(left(40), 30);
  EXPECT_GT(left(100), left(40));
}

TEST(RunViewTest, WhatWasDoneBeforeIsNoSpeed) {
  // Went on from a checkpoint at 90: the first second gained 1, not 91.
  EXPECT_DOUBLE_EQ(*Telling({{0, 90}, {1, 91}}).WorkersProgress(1).remaining_s, 9);
  EXPECT_FALSE(Telling({{0, 90}}).WorkersProgress(1).remaining_s);
}

TEST(RunViewTest, TheSlowestWorkerDecidesAndALostOneDoesNot) {
  RunView view = Telling({{0, 0}, {10, 50}});
  view.Add(
      Json::parse(R"({"kind":"progress","at":0,"role":"worker","index":1,"done":0,"total":100})"));
  view.Add(Json::parse(
      R"({"kind":"progress","at":10,"role":"worker","index":1,"done":10,"total":100})"));
  EXPECT_DOUBLE_EQ(*view.WorkersProgress(10).remaining_s, 90);
  view.Add(Json::parse(R"({"kind":"rank.ended","at":10,"role":"worker","index":1,"signal":9})"));
  EXPECT_DOUBLE_EQ(*view.WorkersProgress(10).remaining_s, 10);
  EXPECT_EQ(view.LostWorkers(), 1);
}

TEST(RunViewTest, ItsOwnGuessAges) {
  RunView view;
  view.Add(Json::parse(R"({"kind":"progress","at":5,"role":"worker","index":0,"done":0.2,
                           "total":1,"remaining_s":60})"));
  EXPECT_DOUBLE_EQ(*view.WorkersProgress(15).remaining_s, 50);
  EXPECT_DOUBLE_EQ(*view.WorkersProgress(500).remaining_s, 0);
}

TEST(RunViewTest, UsageOfAServerThatWasStartedAgainIsThatOfBothLives) {
  RunView view;
  const auto usage = [&](double cpu_s, double memory, bool complete) {
    view.Add({{"kind", "rank.usage"},
              {"role", "server"},
              {"index", 0},
              {"wall_s", 10},
              {"cpu_s", cpu_s},
              {"bytes_sent", 100},
              {"bytes_received", 5},
              {"peak_memory_bytes", memory},
              {"complete", complete}});
  };
  const Json started{{"kind", "rank.started"}, {"role", "server"}, {"index", 0}, {"pid", 3}};
  view.Add(started);
  usage(1, 50, true);
  usage(3, 70, true);
  view.Add(started);
  usage(2, 60, false);
  const RankUsage& both = *view.ranks.at(0).usage;
  EXPECT_EQ(both.cpu_s, 5);
  EXPECT_EQ(both.wall_s, 20);
  EXPECT_EQ(both.bytes_sent, 200);
  EXPECT_EQ(both.peak_memory_bytes, 70);
  EXPECT_FALSE(both.bytes_complete);
}

TEST(RunViewTest, AGuessOfWhatIsLeftLeavesTheProgressAsItWas) {
  RunView view = TwoWorkers();
  view.Add(
      Json::parse(R"({"kind":"progress","at":14,"role":"worker","index":0,"remaining_s":33})"));
  EXPECT_EQ(view.WorkersProgress(14).done, 50);
  EXPECT_EQ(view.WorkersProgress(14).remaining_s, 33);
}

TEST(RunViewTest, OfWorkersThatValidateAloneTheLastOneCounts) {
  const RunView view = ViewOf({
      R"({"kind":"metric","at":5,"role":"worker","index":0,"name":"validated_alone","value":1,"epoch":0})",
      R"({"kind":"metric","at":9,"role":"worker","index":0,"name":"accuracy","value":0.8,"epoch":0})",
      R"({"kind":"metric","at":5,"role":"worker","index":1,"name":"validated_alone","value":1,"epoch":0})",
      R"({"kind":"metric","at":5,"role":"worker","index":1,"name":"accuracy","value":0.2,"epoch":0})",
  });
  EXPECT_EQ(view.Epochs()[0].accuracy, 0.8);
}

TEST(RunViewTest, ALostWorkerTakesItsPartWithIt) {
  RunView view = TwoWorkers();
  view.Add(Json::parse(R"({"kind":"rank.ended","at":14,"role":"worker","index":1,"signal":9})"));
  EXPECT_EQ(view.ranks[1].state, "killed by signal 9");
  EXPECT_EQ(view.WorkersProgress(14).total, 100);
  view.Add(Json::parse(R"({"kind":"run.state","at":15,"state":"failed","reason":"why"})"));
  EXPECT_EQ(view.state, core::RunState::kFailed);
  EXPECT_EQ(view.reason, "why");
}

double NumberOf(const core::Table& table, const std::string& column, size_t row) {
  const auto index = table.Find(column);
  EXPECT_TRUE(index) << column;
  return index ? table.columns[*index][row] : -1;
}

TEST(RunSamplesTest, ARowForTheRunAndOneForEveryWorkerAndEpoch) {
  const Json plan{{"engine", "local"}, {"images", 400}, {"parameters", 7}};
  const auto samples = SamplesOf(3, "digits", ToJson(TwoWorkerJob()), plan, TwoWorkers());
  ASSERT_EQ(samples.size(), 2);
  const core::Table& run = samples[0].rows;
  EXPECT_EQ(samples[0].set, "digits.runs");
  ASSERT_EQ(run.row_count, 1);
  EXPECT_EQ(NumberOf(run, "run", 0), 3);
  EXPECT_EQ(NumberOf(run, "workers", 0), 2);
  EXPECT_EQ(NumberOf(run, "batch", 0), 16);
  EXPECT_EQ(NumberOf(run, "images", 0), 400);
  EXPECT_EQ(NumberOf(run, "training_loop_s", 0), 4);
  EXPECT_EQ(NumberOf(run, "train_epoch_s", 0), 3);
  EXPECT_DOUBLE_EQ(NumberOf(run, "compute_s", 0), 0.2);
  EXPECT_EQ(NumberOf(run, "bytes_sent", 0), 20);
  EXPECT_DOUBLE_EQ(NumberOf(run, "accuracy", 0), 0.6);
  const core::Table& epochs = samples[1].rows;
  EXPECT_EQ(samples[1].set, "digits.epochs");
  ASSERT_EQ(epochs.row_count, 2);
  EXPECT_EQ(NumberOf(epochs, "batch", 1), 24);
  EXPECT_EQ(NumberOf(epochs, "shard", 1), 300);
  EXPECT_EQ(NumberOf(epochs, "train_epoch_s", 0), 2);
  EXPECT_EQ(NumberOf(epochs, "bytes_sent", 1), 14);
  EXPECT_EQ(NumberOf(epochs, "epoch", 1), 1);
}

TEST(RunSamplesTest, WhatWasNotMeasuredIsMissing) {
  RunView view = ViewOf({
      R"({"kind":"steps","at":12,"role":"worker","index":0,"first":0,"compute_s":[0.1,0.3]})",
      R"({"kind":"stage","at":13,"role":"worker","index":0,"stage":"train_epoch","seconds":2,"epoch":0})",
      R"({"kind":"rank.usage","at":15,"role":"worker","index":0,"wall_s":5,"cpu_s":3,
          "peak_memory_bytes":100,"bytes_sent":20,"bytes_received":30,"complete":false})",
      R"({"kind":"rank.usage","at":25,"role":"server","index":0,"wall_s":15,"cpu_s":1,
          "peak_memory_bytes":10,"bytes_sent":20,"bytes_received":30,"complete":true})",
  });
  const Json plan{{"engine", "local"}};
  const auto samples = SamplesOf(3, "own", {{"workers", 1}}, plan, view);
  const core::Table& run = samples[0].rows;
  EXPECT_DOUBLE_EQ(NumberOf(run, "compute_s", 0), 0.2);
  EXPECT_EQ(NumberOf(run, "wall_s", 0), 5) << "of the workers";
  EXPECT_EQ(NumberOf(run, "cpu_s", 0), 4);
  for (const char* column : {"push_s", "update_s", "pull_s", "bytes_sent", "lost_workers"}) {
    EXPECT_FALSE(run.Find(column)) << column;
  }
  // Steps without an epoch are in none.
  ASSERT_EQ(samples[1].rows.row_count, 1);
  EXPECT_FALSE(samples[1].rows.Find("steps"));
}

TEST(RunSamplesTest, VariablesOfACommandAreInputsAndSecretsAreNot) {
  const Json job{
      {"workers", 1},
      {"envs",
       {{"BATCH", "64"}, {"MODE", "fast"}, {"HF_TOKEN", "x"}, {"LONG", std::string(65, 'x')}}}};
  const core::Table inputs = InputsOf(job, {{"engine", "local"}});
  EXPECT_EQ(NumberOf(inputs, "env_BATCH", 0), 64);
  EXPECT_TRUE(inputs.Find("env_MODE"));
  EXPECT_FALSE(inputs.Find("env_HF_TOKEN"));
  EXPECT_FALSE(inputs.Find("env_LONG"));
  EXPECT_TRUE(IsRunInput("env_BATCH"));
}

TEST(RunSamplesTest, WhatAnEpochTakesDoesNotDependOnHowManyThereAre) {
  EXPECT_TRUE(IsRunInputOf("training_loop_s", "epochs"));
  EXPECT_FALSE(IsRunInputOf("train_epoch_s", "epochs"));
  EXPECT_FALSE(IsRunInputOf("compute_s", "epochs"));
  EXPECT_TRUE(IsRunInputOf("train_epoch_s", "batch"));
  EXPECT_FALSE(IsRunInputOf("training_loop_s", "loss"));
}

TEST(RunSamplesTest, RunsThatAreNoMeasureOfTheWholeJobSaySo) {
  RunView view = TwoWorkers();
  view.Add(Json::parse(
      R"({"kind":"metric","at":11,"role":"worker","index":0,"name":"begun_at_step","value":7})"));
  view.Add(Json::parse(R"({"kind":"rank.ended","at":14,"role":"worker","index":1,"signal":9})"));
  const auto samples = SamplesOf(3, "digits", ToJson(TwoWorkerJob()), {{"engine", "local"}}, view);
  for (const auto& set : samples) {
    EXPECT_EQ(NumberOf(set.rows, "lost_workers", 0), 1) << set.set;
    EXPECT_EQ(NumberOf(set.rows, "begun_at_step", 0), 7) << set.set;
  }
}

TEST(RunSamplesTest, WhatAScriptTellsTakesNoColumnThatTheRowHas) {
  RunView view = TwoWorkers();
  const auto tell = [&](const char* line) { view.Add(Json::parse(line)); };
  for (const char* name : {"run", "workers", "batch", "epochs", "wall_s", "compute_s",
                           "knob_kernel", "host", "training_loop_s", "own"}) {
    view.Add({{"kind", "metric"}, {"role", "worker"}, {"index", 0}, {"name", name}, {"value", 77}});
    view.Add({{"kind", "metric"},
              {"role", "worker"},
              {"index", 0},
              {"epoch", 0},
              {"name", name},
              {"value", 78}});
  }
  tell(R"({"kind":"stage","role":"worker","index":0,"stage":"wall","seconds":9})");
  tell(R"({"kind":"stage","role":"worker","index":0,"stage":"train_epoch","seconds":8})");
  tell(R"({"kind":"stage","role":"worker","index":0,"stage":"compute","seconds":6,"epoch":0})");
  const Json plan{{"engine", "local"}};
  const auto samples = SamplesOf(3, "digits", ToJson(TwoWorkerJob()), plan, view);
  const core::Table& run = samples[0].rows;
  EXPECT_EQ(NumberOf(run, "run", 0), 3);
  EXPECT_EQ(NumberOf(run, "workers", 0), 2);
  EXPECT_EQ(NumberOf(run, "batch", 0), 16);
  EXPECT_EQ(NumberOf(run, "epochs", 0), 1);
  EXPECT_EQ(NumberOf(run, "wall_s", 0), 5);
  EXPECT_EQ(NumberOf(run, "training_loop_s", 0), 4);
  EXPECT_EQ(NumberOf(run, "train_epoch_s", 0), 3);  // the mean of the epochs
  EXPECT_DOUBLE_EQ(NumberOf(run, "compute_s", 0), 0.2);
  EXPECT_FALSE(run.Find("host"));  // it would pass for an input
  EXPECT_EQ(NumberOf(run, "stage_wall_s", 0), 9);
  EXPECT_EQ(NumberOf(run, "stage_train_epoch_s", 0), 8);
  EXPECT_EQ(NumberOf(run, "stage_compute_s", 0), 6);
  for (const char* name : {"metric_run", "metric_batch", "metric_knob_kernel", "metric_host",
                           "metric_wall_s", "metric_training_loop_s", "own"}) {
    EXPECT_EQ(NumberOf(run, name, 0), 77) << name;
  }
  const core::Table& epochs = samples[1].rows;
  EXPECT_EQ(NumberOf(epochs, "batch", 0), 8);
  EXPECT_DOUBLE_EQ(NumberOf(epochs, "compute_s", 0), 0.2);
  EXPECT_EQ(NumberOf(epochs, "stage_compute_s", 0), 6);
  EXPECT_EQ(NumberOf(epochs, "metric_batch", 0), 78);
  EXPECT_EQ(NumberOf(epochs, "own", 0), 78);
}

TEST(RunSamplesTest, AccuracyAndLossOfARunAreThoseOfItsLastEpoch) {
  const RunView view = ViewOf({
      R"({"kind":"metric","at":1,"role":"worker","index":0,"name":"loss","value":2.5,"epoch":0})",
      R"({"kind":"metric","at":2,"role":"worker","index":0,"name":"loss","value":0.5,"epoch":1})",
      R"({"kind":"metric","at":2,"role":"worker","index":1,"name":"loss","value":0.7,"epoch":1})",
      R"({"kind":"metric","at":2,"role":"worker","index":0,"name":"accuracy","value":0.8,"epoch":1})",
  });
  const auto samples = SamplesOf(3, "digits", ToJson(TwoWorkerJob()), Json::object(), view);
  EXPECT_DOUBLE_EQ(NumberOf(samples[0].rows, "loss", 0), 0.6);  // the mean over its workers
  EXPECT_DOUBLE_EQ(NumberOf(samples[0].rows, "accuracy", 0), 0.8);
}

TEST(RunSamplesTest, RunsWithoutALoadHaveNoneOfIt) {
  core::TableBuilder builder;
  builder.AddRow({{"stress_load_cpu", 0.6}, {"batch", 8.0}});
  builder.AddRow({{"batch", 8.0}, {"rate", 0.1}});
  core::Table table = std::move(builder).Finish("runs");
  FillAbsentLoads(table);
  EXPECT_EQ(table.columns[*table.Find("stress_load_cpu")][0], 0.6);
  EXPECT_EQ(table.columns[*table.Find("stress_load_cpu")][1], 0);
  EXPECT_TRUE(std::isnan(table.columns[*table.Find("rate")][0]));
}

TEST(RunSamplesTest, WhatACampaignVariedBesideIsAnInput) {
  const Json plan{{"engine", "local"},
                  {"varied", {{"background.web.run", "./slow"}, {"envs.LIMIT", "3"}}}};
  const core::Table table = InputsOf(ToJson(TwoWorkerJob()), plan);
  EXPECT_EQ(table.columns[*table.Find("varied_background.web.run")].Text(0), "./slow");
  EXPECT_EQ(table.columns[*table.Find("varied_envs.LIMIT")][0], 3);
  EXPECT_TRUE(IsRunInput("varied_envs.LIMIT"));
}

TEST(RunSamplesTest, ThePlanKnowsWhatAWorkerReallyHad) {
  core::Job job = TwoWorkerJob();
  job.cpus_per_worker = 8;
  const Json plan{{"engine", "lab:x"}, {"cpus_per_worker", 1}, {"host_cpus", 0.7}, {"dilation", 5}};
  const auto samples = SamplesOf(3, "digits", ToJson(job), plan, TwoWorkers());
  EXPECT_EQ(NumberOf(samples[0].rows, "cpus_per_worker", 0), 1);
  EXPECT_EQ(NumberOf(samples[0].rows, "host_cpus", 0), 0.7);
  EXPECT_EQ(NumberOf(samples[0].rows, "dilation", 0), 5);
  EXPECT_TRUE(IsRunInput("host_cpus"));
  // As an earlier version kept it.
  const auto earlier = SamplesOf(3, "digits", ToJson(job), Json{{"engine", "local"}}, TwoWorkers());
  EXPECT_EQ(NumberOf(earlier[0].rows, "cpus_per_worker", 0), 8);
}

TEST(RunSamplesTest, InputsAreWhatCanBeAskedBeforeTheRun) {
  const Json plan{{"engine", "local"}, {"images", 400}, {"parameters", 7}};
  const Json job = ToJson(TwoWorkerJob());
  const core::Table inputs = InputsOf(job, plan);
  size_t asked = 0;
  for (const auto& samples : SamplesOf(3, "digits", job, plan, TwoWorkers())) {
    if (samples.set != "digits.runs") continue;
    for (const std::string& name : samples.rows.Names()) {
      if (!IsRunInput(name)) continue;
      ++asked;
      EXPECT_THAT(inputs.Names(), Contains(name));
    }
  }
  EXPECT_GE(asked, 10);
  EXPECT_FALSE(IsRunInput("train_s"));
  EXPECT_FALSE(IsRunInput("run"));
  EXPECT_TRUE(IsRunInput("knob_kernel"));
}

}  // namespace
}  // namespace reckon::app
