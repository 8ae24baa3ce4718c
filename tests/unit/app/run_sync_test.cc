// What the store learns from a run's folder when its supervisor told no end.
#include "app/runs/run_sync.h"

#include <thread>

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "act/launch.h"
#include "act/local/event_file.h"
#include "act/local/rank_cgroup.h"
#include "app/runs/run_files.h"
#include "base/file.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/base/fake_clock.h"

namespace reckon::app {
namespace {

using base::Json;
using core::RunState;
using ::testing::HasSubstr;

class RunSyncTest : public ::testing::Test {
 protected:
  RunSyncTest() {
    store_ = store::SqliteStore::Open(db_, clock_, {}).value();
    core::Run run;
    run.name = "job";
    run.job = "{}";
    run_ = store_->AddRun(run).value().id;
    EXPECT_TRUE(store_->MoveRun(run_, RunState::kQueued, RunState::kPlanning, "").ok());
    const std::filesystem::path folder = RunFolderPath(db_, run_);
    std::filesystem::create_directories(folder);
    events_.emplace(act::EventWriter::Open(act::RunFolder(folder).events()).value());
  }

  void Tell(const Json& event) { ASSERT_TRUE(events_->Append(event).ok()); }
  SyncedRun Sync() { return SyncRun(*store_, db_, run_, clock_).value(); }

  support::TempFolder folder_;
  std::filesystem::path db_ = folder_ / "reckon.db";
  base::FakeClock clock_;
  std::unique_ptr<store::Store> store_;
  int64_t run_ = 0;
  std::optional<act::EventWriter> events_;
};

TEST_F(RunSyncTest, NamesTheSupervisorWhenItDiedBeforeTheStoreHeardOfIt) {
  Tell({{"kind", "run.state"}, {"at", 1}, {"state", "starting"}});
  const SyncedRun synced = Sync();
  EXPECT_EQ(synced.run.state, RunState::kFailed);
  EXPECT_THAT(synced.view.reason, HasSubstr("supervisor died"));
}

TEST_F(RunSyncTest, WaitsForAPlannerThenBlamesIt) {
  EXPECT_EQ(Sync().run.state, RunState::kPlanning);
  clock_.Advance(std::chrono::seconds(11));
  const SyncedRun synced = Sync();
  EXPECT_EQ(synced.run.state, RunState::kFailed);
  EXPECT_THAT(synced.view.reason, HasSubstr("reckon died"));
}

TEST_F(RunSyncTest, ASupervisorThatDiedBeforeItsFirstEventIsNamed) {
  { const auto lock = act::RunLock::Take(act::RunFolder(RunFolderPath(db_, run_))).value(); }
  const SyncedRun synced = Sync();
  EXPECT_EQ(synced.run.state, RunState::kFailed);
  EXPECT_THAT(synced.view.reason, HasSubstr("supervisor died"));
}

TEST_F(RunSyncTest, WhatCannotBeSeenIsNotDead) {
  Tell({{"kind", "run.state"}, {"at", 1}, {"state", "running"}});
  const act::RunFolder folder(RunFolderPath(db_, run_));
  // A loop of links cannot be opened by anybody, not even by root.
  std::filesystem::create_symlink(folder.lock(), folder.lock());
  clock_.Advance(std::chrono::hours(1));
  const SyncedRun synced = Sync();
  EXPECT_EQ(synced.run.state, RunState::kPlanning);
  EXPECT_THAT(synced.note, HasSubstr("lock"));
}

TEST_F(RunSyncTest, AStoreHasItsRunsByWhateverNameItIsReached) {
  std::filesystem::create_directory(folder_ / "elsewhere");
  std::filesystem::create_symlink(db_, folder_ / "elsewhere/link.db");
  EXPECT_EQ(RunFolderPath(folder_ / "elsewhere/link.db", 7), RunFolderPath(db_, 7));
}

TEST_F(RunSyncTest, SaysWhenSamplesCouldNotBeKept) {
  core::Table imported;
  imported.source = "other.csv";
  imported.columns.push_back(core::Column::Numbers("x", core::NumberVector::Of({1})));
  imported.row_count = 1;
  base::NoProgress none;
  ASSERT_TRUE(store_->AddSampleSet("job.runs", "f", imported, {}, none).ok());
  EXPECT_THAT(WhyNotKept(*store_, "job").value(), HasSubstr("imported from other.csv"));
  EXPECT_EQ(WhyNotKept(*store_, "another").value(), "");
  Tell({{"kind", "run.state"}, {"at", 1}, {"state", "running"}});
  Tell({{"kind", "run.state"}, {"at", 2}, {"state", "finished"}});
  EXPECT_EQ(Sync().run.state, RunState::kFinished);
  EXPECT_THAT(Sync().note, HasSubstr("not kept"));
}

TEST_F(RunSyncTest, KeepsTheReasonAndTheEndForEveryLaterLook) {
  Tell({{"kind", "run.state"}, {"at", 1}, {"state", "running"}});
  Tell({{"kind", "rank.started"}, {"at", 1}, {"role", "worker"}, {"index", 0}, {"pid", 7}});
  const SyncedRun first = Sync();
  clock_.Advance(std::chrono::hours(1));
  const SyncedRun later = Sync();
  EXPECT_THAT(later.view.reason, HasSubstr("supervisor died"));
  EXPECT_EQ(later.view.reason, first.view.reason);
  ASSERT_TRUE(first.view.ended_at && later.view.ended_at);
  EXPECT_EQ(*first.view.ended_at, *later.view.ended_at);
  EXPECT_EQ(later.view.ranks.at(0).state, "lost");
}

TEST_F(RunSyncTest, ManyWhoLookAtOnceAllSeeTheEnd) {
  Tell({{"kind", "run.state"}, {"at", 1}, {"state", "starting"}});
  Tell({{"kind", "run.state"}, {"at", 2}, {"state", "running"}});
  Tell({{"kind", "run.state"}, {"at", 3}, {"state", "finished"}});
  std::vector<RunState> seen(24, RunState::kQueued);
  {
    std::vector<std::jthread> threads;
    for (RunState& state : seen) {
      threads.emplace_back([&] {
        const auto own = store::SqliteStore::Open(db_, clock_, {}).value();
        state = SyncRun(*own, db_, run_, clock_).value().run.state;
      });
    }
  }
  EXPECT_THAT(seen, ::testing::Each(RunState::kFinished));
}

TEST_F(RunSyncTest, KeepsTheReasonOfARunThatNeverStarted) {
  const std::string detail = base::DumpJsonLine(Json{{"reason", "no free port"}});
  ASSERT_TRUE(store_->MoveRun(run_, RunState::kPlanning, RunState::kFailed, detail).ok());
  EXPECT_EQ(Sync().view.reason, "no free port");
}

TEST_F(RunSyncTest, RemovesTheCgroupsOfKeepersThatDiedWithTheirSupervisor) {
  const auto own = act::RankCgroup::Make({}, getpid());
  if (!own) GTEST_SKIP() << "cgroups cannot be made here";
  // Of a keeper whose number no process can have.
  const std::filesystem::path left =
      std::filesystem::path(own->folder()).parent_path() / "reckon-rank-2000000000";
  ASSERT_TRUE(std::filesystem::create_directory(left));
  act::LaunchSpec spec;
  spec.token = "token-of-" + folder_.path().filename().string();
  spec.processes.push_back({.role = "worker", .argv = {"true"}, .log = "worker-0.log"});
  const act::RunFolder folder(RunFolderPath(db_, run_));
  ASSERT_TRUE(base::WriteFile(folder.spec(), base::DumpJson(act::ToJson(spec))).ok());
  Tell({{"kind", "run.state"}, {"at", 1}, {"state", "running"}});
  EXPECT_EQ(Sync().run.state, RunState::kFailed);
  EXPECT_FALSE(std::filesystem::exists(left));
  rmdir(left.c_str());
  EXPECT_TRUE(std::filesystem::exists(own->folder())) << "its keeper lives";
}

}  // namespace
}  // namespace reckon::app
