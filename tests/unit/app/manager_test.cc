// The manager, with agents that the test plays: what they tell, and what they are told.
#include "app/manage/manager.h"

#include <atomic>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/manage/managed_view.h"
#include "base/file.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/support/temp_folder.h"
#include "tests/support/within.h"

namespace reckon::app {
namespace {

using core::RunState;
using std::chrono::seconds;
using support::Within;
using testing::HasSubstr;

constexpr seconds kPatience{60};  // sanitizers on a busy machine

// A clock that the test moves on.
class TestClock final : public base::Clock {
 public:
  base::WallTime Now() const override { return base::SystemClock().Now() + ahead_.load(); }
  base::MonotonicTime Monotonic() const override { return base::SystemClock().Monotonic(); }
  void Advance(std::chrono::microseconds time) { ahead_ = ahead_.load() + time; }

 private:
  std::atomic<std::chrono::microseconds> ahead_{std::chrono::microseconds(0)};
};

// A node whose agent does what it is told, and whose part does what the test says.
class PlayedNode {
 public:
  PlayedNode(Manager*& manager, const std::string& name) : manager_(manager) {
    beat_.node.name = name;
    beat_.node.type = "h";
    beat_.node.cpus = 1;
    beat_.node.memory_bytes = uint64_t{4} << 30;
    beat_.node.address = "10.0.0.1";
    beat_.node.price_per_hour = 3600;  // a dollar a second
    beat_.instance = "i-" + name;
  }

  // One beat; the want of the part of `run`, "" when there is none.
  std::string Beat(int64_t run = 1) {
    const auto answer = manager_->TakeBeat(beat_);
    if (!answer.ok()) return "error: " + answer.error().Describe();
    if (beat_.manager != answer->manager) {
      beat_.manager = answer->manager;
      return Beat(run);
    }
    std::string want;
    for (const act::PartWish& wish : answer->parts) {
      if (wish.key.run == run) want = wish.want;
      Obey(wish);
    }
    return want;
  }
  bool IsTold(const std::string& want, int64_t run = 1) {
    return Within(kPatience, [&] { return Beat(run) == want; });
  }

  act::PartFacts* Facts(int64_t run, int64_t attempt) {
    for (act::PartFacts& facts : beat_.parts) {
      if (facts.key == act::PartKey{run, attempt}) return &facts;
    }
    return nullptr;
  }
  // The part writes an event, which is sent at once.
  void Tell(const base::Json& event, int64_t run = 1, int64_t attempt = 1) {
    act::PartFacts* facts = Facts(run, attempt);
    ASSERT_NE(facts, nullptr);
    const std::string line = base::DumpJsonLine(event) + "\n";
    uint64_t& size = facts->files["events.jsonl"];
    const auto taken = manager_->TakeFile(beat_.node.name, facts->key, "events.jsonl", size, line);
    ASSERT_TRUE(taken.ok()) << taken.error().Describe();
    size += line.size();
    EXPECT_EQ(*taken, size);
  }
  void TellState(const std::string& state, double at, const std::string& reason = "",
                 int64_t attempt = 1) {
    Tell({{"kind", "part.state"}, {"at", at}, {"state", state}, {"reason", reason}}, 1, attempt);
  }
  void End(const std::string& state, double at, const std::string& reason = "",
           int64_t attempt = 1) {
    TellState(state, at, reason, attempt);
    Facts(1, attempt)->lives = false;
  }

  act::Beat beat_;

 private:
  void Obey(const act::PartWish& wish) {
    act::PartFacts* facts = Facts(wish.key.run, wish.key.attempt);
    if (wish.want == "forget") {
      std::erase_if(beat_.parts, [&](const act::PartFacts& one) { return one.key == wish.key; });
      return;
    }
    if (facts == nullptr) {
      if (!wish.spec) return;
      beat_.parts.push_back({wish.key, true, false, false, "", {}});
      facts = &beat_.parts.back();
    }
    if (wish.want == "start" && !facts->began) facts->began = facts->lives = true;
  }

  Manager*& manager_;
};

class ManagerTest : public testing::Test {
 protected:
  ManagerTest() {
    store_ = store::SqliteStore::Open(db(), clock_).value();
    Start();
  }

  std::filesystem::path db() const { return temporary_ / "reckon.db"; }

  // Also again: as after a crash, but that the process goes on.
  void Start() {
    manager_owner_.reset();
    ManagerOptions options;
    options.db = db();
    options.moves.blame_s = 0.1;
    auto opened = Manager::Open(options, *store_, clock_, log_);
    ASSERT_TRUE(opened.ok()) << opened.error().Describe();
    manager_owner_ = *std::move(opened);
    manager_ = manager_owner_.get();
  }

  void Submit(int workers = 2) {
    const auto run = manager_->Submit(
        {fmt::format("name: update\nnum_nodes: {}\nrun: sleep 1\n", workers), "job.yaml", {}});
    ASSERT_TRUE(run.ok()) << run.error().Describe();
    ASSERT_EQ(run->id, 1);
  }
  bool Comes(RunState state) {
    return Within(kPatience, [&] { return StateNow() == state; });
  }
  RunState StateNow() { return store_->FindRun(1)->state; }

  // Both nodes have their parts at work.
  void BringToWork(PlayedNode& h0, PlayedNode& h1, int64_t attempt = 1) {
    // What one is told depends on what the other one says.
    ASSERT_TRUE(Within(kPatience, [&] {
      const std::string one = h0.Beat();
      const std::string other = h1.Beat();
      return one == "start" && other == "start";
    }));
    for (PlayedNode* node : {&h0, &h1}) {
      node->TellState("starting", 100, "", attempt);
      node->Tell({{"kind", "background.settled"}, {"at", 101}}, 1, attempt);
    }
    for (PlayedNode* node : {&h0, &h1}) {
      ASSERT_TRUE(node->IsTold("go"));
      node->TellState("running", 102, "", attempt);
    }
    ASSERT_TRUE(Comes(RunState::kRunning));
    for (PlayedNode* node : {&h0, &h1}) {
      node->Tell({{"kind", "progress"}, {"role", "worker"}, {"index", 0}, {"at", 103}}, 1, attempt);
    }
  }

  // Only `left` is heard any more, and begins the second attempt, with what there is.
  void LoseTheOthers(PlayedNode& left) {
    clock_.Advance(seconds(20));
    left.Beat();
    clock_.Advance(seconds(11));
    left.Beat();
    ASSERT_TRUE(Comes(RunState::kRecovering));
    ASSERT_TRUE(left.IsTold("stop"));
    left.End("stopped", 120);
    ASSERT_TRUE(Within(kPatience, [&] {
      left.Beat();
      return left.Facts(1, 2) != nullptr;
    }));
  }

  std::string Kinds() {
    std::string kinds;
    const auto events = store_->ListEvents({}, 0, 1000);
    for (const core::Event& event : events.value()) {
      kinds += (kinds.empty() ? "" : " ") + event.kind;
      if (event.kind == "run.state") {
        kinds += ":" + base::Json::parse(event.detail).value("to", "");
      }
    }
    return kinds;
  }

  const support::TempFolder temporary_;
  TestClock clock_;
  base::Logger log_{base::LogLevel::kOff};
  std::unique_ptr<store::SqliteStore> store_;
  std::unique_ptr<Manager> manager_owner_;
  Manager* manager_ = nullptr;
};

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
  h0.End("finished", 110);
  h1.End("finished", 112);
  ASSERT_TRUE(h0.IsTold("release"));
  EXPECT_EQ(StateNow(), RunState::kFinishing) << "h1 has not said that it is over";
  h1.Beat();
  ASSERT_TRUE(Comes(RunState::kFinished));
  EXPECT_NEAR(manager_->Report(1)->spent, 10 + 12, 1e-9);
  ASSERT_TRUE(h0.IsTold("forget"));
  ASSERT_TRUE(h1.IsTold("forget"));
  EXPECT_TRUE(Within(kPatience, [&] {
    h0.Beat();
    h1.Beat();
    return manager_->OpenRuns() == 0;
  }));
  EXPECT_EQ(store_->ListOpenManagedRuns()->size(), 0U);
  EXPECT_NEAR(manager_->Report(1)->spent, 10 + 12, 1e-9);
  EXPECT_EQ(Kinds(),
            "node.joined node.joined run.state:planning run.state:transferring run.state:starting "
            "run.state:running run.state:finishing run.state:finished");
  EXPECT_TRUE(store_->LoadSamples("update.runs").ok());
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
