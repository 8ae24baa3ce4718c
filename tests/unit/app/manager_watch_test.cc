// What the manager watches of runs at work: their accuracy and their spend.
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "act/agents/checkpoint_relay.h"
#include "tests/unit/app/manager_play.h"

namespace reckon::app {
namespace {

using core::RunState;
using std::chrono::seconds;
using support::Within;
using testing::HasSubstr;

TEST_F(ManagerTest, ATrainingThatGainsNothingMoreIsToldToEnd) {
  PlayedNode h0(manager_, "h0");
  PlayedNode h1(manager_, "h1");
  h0.Beat();
  h1.Beat();
  Submit(2, "early_stop: {epochs: 40}\n");
  BringToWork(h0, h1);
  const act::PartKey key{1, 1};
  const auto tell = [&](PlayedNode& node, int worker, int epoch, double accuracy) {
    node.Tell({{"kind", "metric"},
               {"role", "worker"},
               {"index", worker},
               {"at", 104.0 + epoch},
               {"name", "accuracy"},
               {"value", accuracy},
               {"epoch", epoch}});
  };
  const auto told = [&](PlayedNode& node) {
    node.Beat();
    return node.wishes_.at(key).ending;
  };
  for (int epoch = 0; epoch < 3; ++epoch) {
    tell(h0, 0, epoch, 0.5 + 0.1 * epoch);
    tell(h1, 1, epoch, 0.5 + 0.1 * epoch);
  }
  EXPECT_EQ(told(h0), "");
  for (int epoch = 3; epoch < 14; ++epoch) {
    tell(h0, 0, epoch, 0.8);
    tell(h1, 1, epoch, 0.8);
  }
  ASSERT_TRUE(Within(kPatience, [&] { return !told(h0).empty() && !told(h1).empty(); }));
  const std::string why = told(h0);
  EXPECT_THAT(why, HasSubstr("gain more than 0.005"));
  EXPECT_THAT(Kinds(), HasSubstr("run.state:running run.ending"));
  // The next manager says the same, and tells of it once.
  Start();
  EXPECT_TRUE(Within(kPatience, [&] { return told(h1) == why; }));
  EXPECT_EQ(Kinds().find("run.ending"), Kinds().rfind("run.ending"));
  const auto end = base::Json{
      {"kind", "rank.ended"}, {"role", "worker"}, {"index", 0}, {"exit_code", 0}, {"at", 209}};
  for (PlayedNode* node : {&h0, &h1}) node->Tell(end);
  for (PlayedNode* node : {&h0, &h1}) {
    ASSERT_TRUE(node->IsTold("release"));
    node->End("finished", 210);
  }
  EXPECT_TRUE(Within(kPatience, [&] {
    h0.Beat();
    h1.Beat();
    return StateNow() == RunState::kFinished;
  }));
  EXPECT_THAT(store_->ListEvents(1, 0, 100)->back().detail, HasSubstr(why));
}

TEST_F(ManagerTest, ABudgetIsToldOfAndThenKept) {
  PlayedNode h0(manager_, "h0");
  PlayedNode h1(manager_, "h1");
  h0.Beat();
  h1.Beat();
  // Each node costs a dollar a second, and has cost it since its first event.
  Submit(2, "budget: 60\n");
  const auto now = [&] {
    return std::chrono::duration<double>(clock_.Now().time_since_epoch()).count();
  };
  ASSERT_TRUE(Within(kPatience, [&] {
    const std::string one = h0.Beat();
    const std::string other = h1.Beat();
    return one == "start" && other == "start";
  }));
  const double begun = now();
  for (PlayedNode* node : {&h0, &h1}) {
    node->TellState("starting", begun);
    node->Tell({{"kind", "background.settled"}, {"at", begun}});
  }
  for (PlayedNode* node : {&h0, &h1}) {
    ASSERT_TRUE(node->IsTold("go"));
    node->TellState("running", begun);
  }
  ASSERT_TRUE(Comes(RunState::kRunning));
  EXPECT_EQ(Kinds().find("run.budget"), std::string::npos);
  const auto progress = [&](double done) {
    h0.Tell({{"kind", "progress"},
             {"role", "worker"},
             {"index", 0},
             {"at", now()},
             {"done", done},
             {"total", 1000.0}});
  };
  progress(1);
  clock_.Advance(seconds(5));
  progress(2);  // 83 minutes more
  EXPECT_TRUE(Within(kPatience, [&] { return Kinds().find("run.budget") != std::string::npos; }));
  EXPECT_EQ(StateNow(), RunState::kRunning);
  EXPECT_THAT(store_->ListEvents(1, 0, 100)->back().detail, HasSubstr("will likely cost"));
  for (int i = 0; i < 5; ++i) {
    clock_.Advance(seconds(6));
    h0.Beat();
    h1.Beat();
  }
  EXPECT_TRUE(Within(kPatience, [&] { return StateNow() == RunState::kStopping; }));
  EXPECT_THAT(Kinds(), HasSubstr("run.budget run.budget run.state:stopping"));
  EXPECT_THAT(store_->ListEvents(1, 0, 100)->back().detail,
              HasSubstr("the budget of 60 $ is spent"));
}

// h0 costs a dollar a second, h1 a tenth: together they would spend twice what there is, h1 alone
// needs at most twice the time.
TEST_F(ManagerTest, ACheaperCrewKeepsTheBudget) {
  PlayedNode h0(manager_, "h0");
  PlayedNode h1(manager_, "h1");
  h1.beat_.node.price_per_hour = 360;
  h0.Beat();
  h1.Beat();
  const auto run =
      manager_->Submit({"name: update\nnum_nodes: 2\nbudget: 60\n"
                        "trainer: {epochs: 20, batch: 8, data: {images: 64}}\n",
                        "job.yaml",
                        {}});
  ASSERT_TRUE(run.ok()) << run.error().Describe();
  const auto now = [&] {
    return std::chrono::duration<double>(clock_.Now().time_since_epoch()).count();
  };
  ASSERT_TRUE(Within(kPatience, [&] {
    const std::string one = h0.Beat();
    const std::string other = h1.Beat();
    return one == "start" && other == "start";
  }));
  const double begun = now();
  for (PlayedNode* node : {&h0, &h1}) {
    node->TellState("starting", begun);
    node->Tell({{"kind", "background.settled"}, {"at", begun}});
  }
  for (PlayedNode* node : {&h0, &h1}) {
    ASSERT_TRUE(node->IsTold("go"));
    node->TellState("running", begun);
  }
  ASSERT_TRUE(Comes(RunState::kRunning));
  // An epoch of five seconds, of twenty: at 1.1 dollars a second 110 are needed.
  clock_.Advance(seconds(5));
  const std::string checkpoint = "after epoch 0";
  ASSERT_TRUE(manager_->TakeCheckpoint("h0", {1, 1}, act::PrintOf(checkpoint), 0, checkpoint).ok());
  for (int worker = 0; worker < 2; ++worker) {
    PlayedNode& node = worker == 0 ? h0 : h1;
    const base::Json from{{"role", "worker"}, {"index", worker}, {"at", now()}, {"epoch", 0}};
    base::Json stage = from;
    stage.update({{"kind", "stage"}, {"stage", "train_epoch"}, {"seconds", 5.0}});
    node.Tell(stage);
    base::Json metric = from;
    metric.update({{"kind", "metric"}, {"name", "accuracy"}, {"value", 0.5}});
    node.Tell(metric);
  }
  ASSERT_TRUE(Comes(RunState::kRecovering));
  EXPECT_THAT(Kinds(), HasSubstr("run.replanned"));
  for (PlayedNode* node : {&h0, &h1}) {
    ASSERT_TRUE(node->IsTold("stop"));
    node->End("stopped", now());
  }
  ASSERT_TRUE(Within(kPatience, [&] {
    h0.Beat();
    h1.Beat();
    return h1.Facts(1, 2) != nullptr;
  }));
  EXPECT_EQ(h0.Facts(1, 2), nullptr) << "it is too dear";
  EXPECT_TRUE(h1.wishes_.at({1, 2}).checkpoint) << "it goes on from the first epoch";
  EXPECT_EQ(manager_->Report(1)->managed.most_attempts, 5);
  // Nobody is to blame.
  for (const KnownNode& node : manager_->Nodes())
    EXPECT_EQ(node.standing.strikes, 0) << node.info.name;
}

TEST_F(ManagerTest, AnAppThatBeginsToBeLateIsToldOnce) {
  PlayedNode h0(manager_, "h0");
  h0.beat_.node.apps = {{"sift", 0.2}};
  h0.Beat();
  const auto answer = [&](double p95_s, uint64_t missed) {
    h0.beat_.now.apps["sift"] = {50, 0.1, p95_s, missed};
    h0.Beat();
  };
  answer(0.15, 0);
  EXPECT_EQ(Kinds(), "node.joined");
  answer(0.25, 3);
  answer(0.26, 4);
  EXPECT_EQ(Kinds(), "node.joined node.app_late");
  EXPECT_THAT(store_->ListEvents({}, 0, 100)->back().detail, HasSubstr("sift: 3 of 50 answers"));
  EXPECT_DOUBLE_EQ(manager_->Nodes().at(0).now.apps.at("sift").p95_s, 0.26);
  answer(0.15, 0);
  EXPECT_EQ(Kinds(), "node.joined node.app_late node.app_in_time");
}

}  // namespace
}  // namespace reckon::app
