// A manager whose agents the test plays: what they tell, and what they are told.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/manage/manager.h"
#include "base/json.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/support/temp_folder.h"
#include "tests/support/within.h"

namespace reckon::app {

constexpr std::chrono::seconds kPatience{60};  // sanitizers on a busy machine

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
    return support::Within(kPatience, [&] { return Beat(run) == want; });
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
  std::map<act::PartKey, act::PartWish> wishes_;  // the last one of each part

 private:
  void Obey(const act::PartWish& wish) {
    wishes_[wish.key] = wish;
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

  void Submit(int workers = 2, const std::string& more = "") {
    const auto run = manager_->Submit(
        {fmt::format("name: update\nnum_nodes: {}\nrun: sleep 1\n{}", workers, more),
         "job.yaml",
         {}});
    ASSERT_TRUE(run.ok()) << run.error().Describe();
    ASSERT_EQ(run->id, 1);
  }
  bool Comes(core::RunState state) {
    return support::Within(kPatience, [&] { return StateNow() == state; });
  }
  core::RunState StateNow() { return store_->FindRun(1)->state; }

  // Both nodes have their parts at work.
  void BringToWork(PlayedNode& h0, PlayedNode& h1, int64_t attempt = 1) {
    // What one is told depends on what the other one says.
    ASSERT_TRUE(support::Within(kPatience, [&] {
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
    ASSERT_TRUE(Comes(core::RunState::kRunning));
    for (PlayedNode* node : {&h0, &h1}) {
      node->Tell({{"kind", "progress"}, {"role", "worker"}, {"index", 0}, {"at", 103}}, 1, attempt);
    }
  }

  // Only `left` is heard any more, and begins the second attempt, with what there is.
  void LoseTheOthers(PlayedNode& left) {
    clock_.Advance(std::chrono::seconds(20));
    left.Beat();
    clock_.Advance(std::chrono::seconds(11));
    left.Beat();
    ASSERT_TRUE(Comes(core::RunState::kRecovering));
    ASSERT_TRUE(left.IsTold("stop"));
    left.End("stopped", 120);
    ASSERT_TRUE(support::Within(kPatience, [&] {
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

}  // namespace reckon::app
