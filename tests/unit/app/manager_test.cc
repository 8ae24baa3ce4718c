// The manager, with agents that the test plays: what they tell, and what they are told.
#include "app/manage/manager.h"

#include <atomic>
#include <map>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "act/agents/checkpoint_relay.h"
#include "app/manage/managed_view.h"
#include "base/file.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/support/temp_folder.h"
#include "tests/support/within.h"
#include "tests/unit/app/manager_play.h"

namespace reckon::app {
namespace {

using core::RunState;
using std::chrono::seconds;
using support::Within;
using testing::HasSubstr;

TEST_F(ManagerTest, ARunFromQueueToEnd) {
  Submit();
  EXPECT_TRUE(Within(kPatience, [&] { return !manager_->Report(1)->waiting.empty(); }));
  EXPECT_EQ(manager_->Report(1)->waiting, "no node is there");
  PlayedNode h0(manager_, "h0");
  PlayedNode h1(manager_, "h1");
  h1.Beat();
  h0.Beat();
  BringToWork(h0, h1);
  const auto end = base::Json{
      {"kind", "rank.ended"}, {"role", "worker"}, {"index", 0}, {"exit_code", 0}, {"at", 109}};
  h0.Tell(end);
  h1.Tell(end);
  ASSERT_TRUE(h0.IsTold("release"));
  ASSERT_TRUE(h1.IsTold("release"));
  EXPECT_EQ(StateNow(), RunState::kFinishing);
  EXPECT_DOUBLE_EQ(manager_->Report(1)->per_second, 2);
  h0.End("finished", 110);
  h1.End("finished", 112);
  ASSERT_TRUE(h0.IsTold("release"));
  EXPECT_EQ(StateNow(), RunState::kFinishing) << "h1 has not said that it is over";
  h1.Beat();
  ASSERT_TRUE(Comes(RunState::kFinished));
  EXPECT_NEAR(manager_->Report(1)->spent, 10 + 12, 1e-9);
  EXPECT_EQ(manager_->Report(1)->per_second, 0);
  EXPECT_NEAR(manager_->SpendSince({})->at(0).dollars, 22, 1e-9) << "while it is open";
  ASSERT_TRUE(h0.IsTold("forget"));
  ASSERT_TRUE(h1.IsTold("forget"));
  EXPECT_TRUE(Within(kPatience, [&] {
    h0.Beat();
    h1.Beat();
    return manager_->OpenRuns() == 0;
  }));
  EXPECT_EQ(store_->ListOpenManagedRuns()->size(), 0U);
  EXPECT_NEAR(manager_->Report(1)->spent, 10 + 12, 1e-9);
  EXPECT_NEAR(store_->ListSpend({})->at(0).dollars, 22, 1e-9) << "and once it is closed";
  EXPECT_EQ(Kinds(),
            "node.joined node.joined run.state:planning run.state:transferring run.state:starting "
            "run.state:running run.state:finishing run.state:finished");
  EXPECT_TRUE(store_->LoadSamples("update.runs").ok());
}

// One in the middle of an epoch, which no other crew can go on from, must not replace it.
TEST_F(ManagerTest, ManagedTrainingsWriteCheckpointsAtTheEndsOfEpochsAlone) {
  PlayedNode h0(manager_, "h0");
  h0.Beat();
  const auto run = manager_->Submit(
      {"trainer: {checkpoint: mine, checkpoint_every: 7, data: {images: 640}}\n", "job.yaml", {}});
  ASSERT_TRUE(run.ok()) << run.error().Describe();
  ASSERT_TRUE(Within(kPatience, [&] {
    h0.Beat();
    return h0.Facts(1, 1) != nullptr;
  }));
  const act::PartWish& wish = h0.wishes_.at({1, 1});
  ASSERT_EQ(wish.contents.size(), 1U);
  const auto trainer = base::ParseJson(wish.contents.begin()->second, "trainer").value();
  EXPECT_EQ(trainer.at("checkpoint_every"), 0);
  EXPECT_EQ(trainer.at("checkpoint_epochs"), true);
  EXPECT_EQ(trainer.at("checkpoint"), act::kCheckpointFile);
}

TEST_F(ManagerTest, HigherPrioritiesGetTheNodesFirst) {
  const auto submit = [&](int workers, int priority) {
    return manager_
        ->Submit({fmt::format("name: update\nnum_nodes: {}\nrun: sleep 1\npriority: {}\n", workers,
                              priority),
                  "job.yaml",
                  {}})
        ->id;
  };
  PlayedNode h0(manager_, "h0");
  PlayedNode h1(manager_, "h1");
  h0.Beat();
  h1.Beat();
  Submit(1);  // has a node
  ASSERT_TRUE(Within(kPatience, [&] { return manager_->Report(1)->managed.attempt == 1; }));
  const int64_t wide = submit(2, 5);
  const int64_t narrow = submit(1, 0);
  EXPECT_TRUE(Within(kPatience, [&] {
    return manager_->Report(narrow)->waiting == fmt::format("run {} goes first", wide);
  })) << manager_->Report(narrow)->waiting;
  EXPECT_THAT(manager_->Report(wide)->waiting, HasSubstr("1 of 2 nodes are free; it wants 2"));
  const int64_t urgent = submit(1, 9);
  EXPECT_TRUE(Within(kPatience, [&] { return manager_->Report(urgent)->managed.attempt == 1; }));
  EXPECT_EQ(manager_->Report(narrow)->managed.attempt, 0);
  Start();  // and so it stays
  EXPECT_TRUE(Within(kPatience, [&] { return !manager_->Report(narrow)->waiting.empty(); }));
  EXPECT_EQ(manager_->Report(narrow)->waiting, fmt::format("run {} goes first", wide));
}

TEST_F(ManagerTest, TheNextAttemptBeginsWithTheCheckpointThatTheLastOneSentUp) {
  PlayedNode h0(manager_, "h0");
  PlayedNode h1(manager_, "h1");
  h0.Beat();
  h1.Beat();
  Submit();
  BringToWork(h0, h1);
  EXPECT_FALSE(h0.wishes_.at({1, 1}).checkpoint);
  const std::string text(2'500'000, 'x');
  const act::FilePrint print = act::PrintOf(text);
  const act::PartKey first{1, 1};
  EXPECT_EQ(manager_->TakeCheckpoint("h2", first, print, 0, text).error().code(),
            base::ErrorCode::kNotFound);
  EXPECT_EQ(manager_->TakeCheckpoint("h1", {1, 2}, print, 0, text).error().code(),
            base::ErrorCode::kNotFound);
  EXPECT_EQ(manager_->TakeCheckpoint("h1", first, print, 0, text).value(), text.size());
  h1.Beat();
  EXPECT_EQ(h1.wishes_.at(first).have_checkpoint, print.print);
  Start();  // it is kept
  LoseTheOthers(h0);
  const act::PartWish& wish = h0.wishes_.at({1, 2});
  ASSERT_TRUE(wish.checkpoint);
  EXPECT_EQ(*wish.checkpoint, print);
  EXPECT_EQ(manager_->ReadCheckpoint("h0", {1, 2}, 0).value(), text.substr(0, 1 << 20));
  EXPECT_EQ(manager_->ReadCheckpoint("h0", {1, 2}, 2'499'990).value(), text.substr(0, 10));
  EXPECT_EQ(manager_->ReadCheckpoint("h0", {1, 1}, 0).error().code(), base::ErrorCode::kNotFound);
  // Who has no part in it has no business with it.
  EXPECT_EQ(manager_->ReadCheckpoint("h1", {1, 2}, 0).error().code(), base::ErrorCode::kNotFound);
  // What the lost node sends late is of an attempt that is over.
  EXPECT_EQ(manager_->TakeCheckpoint("h1", first, print, 0, text).error().code(),
            base::ErrorCode::kNotFound);
}

// Who looks again and again sees what one sees who looks once; of a new attempt nothing of the
// last.
TEST_F(ManagerTest, LooksAtARunGoOnWhereTheLastEnded) {
  PlayedNode h0(manager_, "h0");
  PlayedNode h1(manager_, "h1");
  h0.Beat();
  h1.Beat();
  Submit();
  ManagedViews views(db());
  const auto at_once = [&] {
    return ViewOfManagedRun(*store_, db(), *store_->FindRun(1), *store_->FindManagedRun(1)).value();
  };
  // The manager's own thread moves the run on between two looks: they are compared when it has not.
  const auto look = [&] {
    RunView again;
    RunView once;
    EXPECT_TRUE(Within(kPatience, [&] {
      const RunView before = at_once();
      again = views.Of(*store_, manager_->Report(1)->managed).value();
      once = at_once();
      return before.state == once.state;
    }));
    EXPECT_EQ(again.state, once.state);
    EXPECT_EQ(again.ranks.size(), once.ranks.size());
    EXPECT_EQ(again.WorkersProgress(200).done, once.WorkersProgress(200).done);
    return again;
  };
  EXPECT_TRUE(look().ranks.empty());
  BringToWork(h0, h1);
  EXPECT_EQ(look().state, RunState::kRunning);
  for (const double done : {10.0, 25.0, 70.0}) {
    h0.Tell({{"kind", "progress"},
             {"role", "worker"},
             {"index", 0},
             {"at", 103 + done},
             {"done", done},
             {"total", 100.0}});
    EXPECT_EQ(look().WorkersProgress(200).done, done);
  }
  LoseTheOthers(h0);
  EXPECT_EQ(look().WorkersProgress(200).done, 0);
}

TEST_F(ManagerTest, ALostNodeIsLeftOutAndTheRunGoesOnWithTheOther) {
  PlayedNode h0(manager_, "h0");
  PlayedNode h1(manager_, "h1");
  h0.Beat();
  h1.Beat();
  Submit();
  BringToWork(h0, h1);
  LoseTheOthers(h0);
  EXPECT_EQ(h0.Facts(1, 1), nullptr) << "the first one is forgotten";
  const auto report = manager_->Report(1);
  EXPECT_EQ(report->managed.attempt, 2);
  ASSERT_EQ(report->managed.parts.size(), 1U);
  EXPECT_EQ(report->managed.parts[0].workers, 1);
  EXPECT_THAT(Kinds(), HasSubstr("node.lost run.state:recovering run.state:planning"));
  // Who comes back is told to stop what others do by now.
  EXPECT_EQ(h1.Beat(), "stop");
  h1.End("stopped", 140);
  ASSERT_TRUE(h1.IsTold("forget"));
  EXPECT_THAT(Kinds(), HasSubstr("node.back"));
}

TEST_F(ManagerTest, AFailureBeforeTheTrainingIsTheJobsOwn) {
  PlayedNode h0(manager_, "h0");
  h0.Beat();
  Submit(1);
  ASSERT_TRUE(h0.IsTold("start"));
  h0.TellState("starting", 100);
  h0.End("failed", 101, "setup ended with code 1");
  ASSERT_TRUE(Within(kPatience, [&] {
    h0.Beat();
    return StateNow() == RunState::kFailed;
  }));
  EXPECT_EQ(Kinds().find("strike"), std::string::npos);
  EXPECT_THAT(store_->ListEvents(1, 0, 100)->back().detail, HasSubstr("setup ended with code 1"));
}

TEST_F(ManagerTest, ANodeThatCannotDoItIsLeftOut) {
  PlayedNode h0(manager_, "h0");
  h0.Beat();
  Submit(1);
  // It hears of its part, and has no room for it.
  ASSERT_TRUE(Within(kPatience, [&] {
    const auto answer = manager_->TakeBeat(h0.beat_);
    return answer.ok() && !answer->parts.empty();
  }));
  h0.beat_.parts.push_back({{1, 1}, false, false, false, "no room on the disk", {}});
  ASSERT_TRUE(manager_->TakeBeat(h0.beat_).ok());
  ASSERT_TRUE(Within(kPatience, [&] { return manager_->Report(1)->managed.attempt == 2; }));
  EXPECT_THAT(Kinds(), HasSubstr("node.strike"));
}

TEST_F(ManagerTest, AKilledManagerStillKnowsWhatIsQueued) {
  Submit();
  Start();
  EXPECT_EQ(StateNow(), RunState::kQueued);
  PlayedNode h0(manager_, "h0");
  EXPECT_TRUE(Within(kPatience, [&] {
    h0.Beat();
    return manager_->Report(1)->waiting ==
           "it wants 2 nodes and 1 are there; others may still join";
  }));
  clock_.Advance(seconds(6));
  EXPECT_TRUE(Within(kPatience, [&] {
    h0.Beat();
    return h0.Facts(1, 1) != nullptr;
  }));
}

TEST_F(ManagerTest, AKilledManagerGoesOnInEveryState) {
  PlayedNode h0(manager_, "h0");
  PlayedNode h1(manager_, "h1");
  h0.Beat();
  h1.Beat();
  Submit();
  ASSERT_TRUE(Within(kPatience, [&] {
    Start();
    h0.Beat();
    h1.Beat();
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // for a step or two
    return StateNow() == RunState::kStarting;
  }));
  Start();
  for (PlayedNode* node : {&h0, &h1}) {
    ASSERT_TRUE(node->IsTold("start"));
    node->TellState("starting", 100);
    node->Tell({{"kind", "background.settled"}, {"at", 101}});
    Start();
  }
  for (PlayedNode* node : {&h0, &h1}) {
    ASSERT_TRUE(node->IsTold("go"));
    node->TellState("running", 102);
    Start();
  }
  ASSERT_TRUE(Comes(RunState::kRunning));
  for (PlayedNode* node : {&h0, &h1}) {
    node->Tell({{"kind", "rank.ended"}, {"role", "worker"}, {"exit_code", 0}, {"at", 109}});
    Start();
  }
  ASSERT_TRUE(Comes(RunState::kFinishing));
  Start();
  for (PlayedNode* node : {&h0, &h1}) {
    ASSERT_TRUE(node->IsTold("release"));
    node->End("finished", 110);
    node->Beat();
    Start();
  }
  ASSERT_TRUE(Within(kPatience, [&] {
    h0.Beat();
    h1.Beat();
    return StateNow() == RunState::kFinished;
  }));
  Start();
  EXPECT_NEAR(manager_->Report(1)->spent, 20, 1e-9);
  EXPECT_EQ(manager_->Report(1)->managed.attempt, 1);
  EXPECT_TRUE(Within(kPatience, [&] {
    h0.Beat();
    h1.Beat();
    return manager_->OpenRuns() == 0;
  }));
  EXPECT_TRUE(h0.beat_.parts.empty());
}

TEST_F(ManagerTest, AnAgentThatWasStartedAnewTellsOfItsPartsLater) {
  PlayedNode h0(manager_, "h0");
  PlayedNode h1(manager_, "h1");
  h0.Beat();
  h1.Beat();
  Submit();
  BringToWork(h0, h1);
  // Its first beat goes to a manager that it does not know yet.
  act::Beat first = h0.beat_;
  first.instance = "anew";
  first.manager.clear();
  first.parts.clear();
  clock_.Advance(seconds(6));
  h1.Beat();
  const auto answer = manager_->TakeBeat(first);
  ASSERT_TRUE(answer.ok()) << answer.error().Describe();
  EXPECT_TRUE(answer->parts.empty());
  h0.beat_.instance = "anew";
  EXPECT_EQ(h0.Beat(), "go");
  EXPECT_EQ(StateNow(), RunState::kRunning);
}

TEST_F(ManagerTest, ABeatThatComesLateIsNotBelieved) {
  PlayedNode h0(manager_, "h0");
  h0.Beat();
  const act::Beat late = h0.beat_;
  Submit(1);
  ASSERT_TRUE(h0.IsTold("start"));
  h0.beat_.number = 9;
  h0.Beat();
  act::Beat earlier = late;
  earlier.number = 8;
  EXPECT_FALSE(manager_->TakeBeat(earlier).ok());
  EXPECT_EQ(StateNow(), RunState::kStarting);
}

TEST_F(ManagerTest, AStopReachesEveryPart) {
  PlayedNode h0(manager_, "h0");
  PlayedNode h1(manager_, "h1");
  h0.Beat();
  h1.Beat();
  Submit();
  BringToWork(h0, h1);
  ASSERT_TRUE(manager_->RequestStop(1, "enough").ok());
  ASSERT_TRUE(h0.IsTold("stop"));
  ASSERT_TRUE(h1.IsTold("stop"));
  EXPECT_EQ(StateNow(), RunState::kStopping);
  Start();
  h0.End("stopped", 120);
  h1.End("stopped", 120);
  ASSERT_TRUE(Within(kPatience, [&] {
    h0.Beat();
    h1.Beat();
    return StateNow() == RunState::kStopped;
  }));
  EXPECT_EQ(manager_->RequestStop(1, "").error().code(), base::ErrorCode::kBadInput);
  EXPECT_EQ(manager_->RequestStop(5, "").error().code(), base::ErrorCode::kNotFound);
}

TEST_F(ManagerTest, WhatIsSentTwiceIsKeptOnce) {
  PlayedNode h0(manager_, "h0");
  h0.Beat();
  Submit(1);
  ASSERT_TRUE(h0.IsTold("start"));
  const auto send = [&](uint64_t from, const std::string& text) {
    return manager_->TakeFile("h0", {1, 1}, "worker-0.log", from, text);
  };
  EXPECT_EQ(send(0, "abc").value(), 3U);
  EXPECT_EQ(send(0, "abc").value(), 3U);
  EXPECT_EQ(send(2, "cde").value(), 5U);
  EXPECT_EQ(send(9, "x").error().code(), base::ErrorCode::kBadInput);
  EXPECT_EQ(base::ReadFile(PartFolder(db(), 1, 1, "h0") / "worker-0.log").value(), "abcde");
  EXPECT_EQ(manager_->TakeFile("h0", {1, 1}, "../x.log", 0, "x").error().code(),
            base::ErrorCode::kBadInput);
  EXPECT_EQ(manager_->TakeFile("h0", {1, 1}, "spec.json", 0, "x").error().code(),
            base::ErrorCode::kBadInput);
  EXPECT_EQ(manager_->TakeFile("h0", {3, 1}, "a.log", 0, "x").error().code(),
            base::ErrorCode::kNotFound);
  EXPECT_EQ(manager_->TakeFile("h9", {1, 1}, "a.log", 0, "x").error().code(),
            base::ErrorCode::kNotFound);
}

TEST_F(ManagerTest, TwoAgentsCannotSpeakForOneNode) {
  PlayedNode h0(manager_, "h0");
  PlayedNode other(manager_, "h0");
  other.beat_.instance = "another";
  EXPECT_EQ(h0.Beat(), "");
  EXPECT_THAT(other.Beat(), HasSubstr("another agent speaks for node 'h0'"));
  clock_.Advance(seconds(6));
  EXPECT_EQ(other.Beat(), "") << "the first one is silent";
}

TEST_F(ManagerTest, ANodeIsForgivenOrForgottenWhenPeopleSaySo) {
  PlayedNode h0(manager_, "h0");
  PlayedNode h1(manager_, "h1");
  h0.Beat();
  h1.Beat();
  clock_.Advance(seconds(20));
  h1.Beat();
  clock_.Advance(seconds(11));
  h1.Beat();
  const auto strikes = [&] { return manager_->Nodes().front().standing.strikes; };
  ASSERT_TRUE(Within(kPatience, [&] { return strikes() == 1; }));
  ASSERT_TRUE(manager_->ForgiveNode("h0").ok());
  EXPECT_EQ(strikes(), 0);
  ASSERT_TRUE(manager_->ForgiveNode("h1").ok());  // who has none
  EXPECT_EQ(manager_->ForgiveNode("h9").error().code(), base::ErrorCode::kNotFound);
  ASSERT_TRUE(manager_->RemoveNode("h0").ok());
  EXPECT_EQ(manager_->Nodes().size(), 1U);
  EXPECT_EQ(store_->ListNodes()->size(), 1U);
  EXPECT_EQ(manager_->RemoveNode("h0").error().code(), base::ErrorCode::kNotFound);
  EXPECT_THAT(Kinds(), HasSubstr("node.lost node.forgiven node.removed"));
  h0.Beat();
  EXPECT_EQ(manager_->Nodes().size(), 2U);
}

TEST_F(ManagerTest, ANodeAtWorkIsNotRemoved) {
  Submit();
  PlayedNode h0(manager_, "h0");
  PlayedNode h1(manager_, "h1");
  h0.Beat();
  h1.Beat();
  BringToWork(h0, h1);
  const auto refused = manager_->RemoveNode("h0");
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().Describe(), HasSubstr("works for run 1"));
  EXPECT_EQ(store_->ListNodes()->size(), 2U);
}

TEST_F(ManagerTest, BadJobsAreRefusedWithTheirLine) {
  const auto bad = manager_->Submit({"name: x\nnum_nodes: none\nrun: true\n", "bad.yaml", {}});
  ASSERT_FALSE(bad.ok());
  EXPECT_THAT(bad.error().Describe(), HasSubstr("bad.yaml, line 2"));
  EXPECT_EQ(store_->ListRuns(10, {})->size(), 0U);
}

TEST_F(ManagerTest, OneManagerAStore) {
  ManagerOptions options;
  options.db = db();
  const auto second = Manager::Open(options, *store_, clock_, log_);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(second.error().Describe(), HasSubstr("has a manager already"));
}

TEST_F(ManagerTest, RunsThatWantTheSameNodesTakeTurns) {
  PlayedNode h0(manager_, "h0");
  h0.Beat();
  Submit(1);
  ASSERT_TRUE(h0.IsTold("start"));
  ASSERT_TRUE(manager_->Submit({"name: other\nrun: sleep 1\n", "job.yaml", {}}).ok());
  EXPECT_TRUE(Within(kPatience, [&] { return !manager_->Report(2)->waiting.empty(); }));
  EXPECT_THAT(manager_->Report(2)->waiting, HasSubstr("0 of 1 nodes are free"));
  h0.TellState("starting", 100);
  h0.End("failed", 101, "no");
  ASSERT_TRUE(h0.IsTold("start", 2));
}

}  // namespace
}  // namespace reckon::app
