// What the store learns from a run's folder when its supervisor told no end.
#include "app/runs/run_sync.h"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include "act/local/event_file.h"
#include "app/runs/run_files.h"
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

TEST_F(RunSyncTest, KeepsTheReasonOfARunThatNeverStarted) {
  const std::string detail = base::DumpJsonLine(Json{{"reason", "no free port"}});
  ASSERT_TRUE(store_->MoveRun(run_, RunState::kPlanning, RunState::kFailed, detail).ok());
  EXPECT_EQ(Sync().view.reason, "no free port");
}

}  // namespace
}  // namespace reckon::app
