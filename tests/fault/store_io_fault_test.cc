// Every write, sync, truncation, opening and deletion of a file that SQLite does for us fails once,
// at every point, for a moment or for good. Whatever happens the store stays whole, the old content
// stays, and what was being done happened wholly or not at all.
#include <cerrno>
#include <functional>
#include <span>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "store/sqlite/connection.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/fault/faulty_vfs.h"
#include "tests/unit/store/support.h"

namespace reckon::fault {
namespace {

using base::ErrorCode;
using core::RunState;
using store::SqliteConnection;
using store::SqliteStore;
using store::testing::Difference;
using store::testing::MakeTable;
using store::testing::TempFolder;

constexpr size_t kOldRows = 200;
constexpr const char* kFileName = "x.db";

struct Kind {
  Operation operation;
  int code;
  int system_errno;
};

const Kind kKinds[] = {
    {Operation::kOpen, SQLITE_CANTOPEN, EMFILE},
    {Operation::kOpen, SQLITE_CANTOPEN, ENOSPC},
    {Operation::kWrite, SQLITE_FULL, ENOSPC},
    {Operation::kWrite, SQLITE_IOERR_WRITE, EIO},
    {Operation::kSync, SQLITE_IOERR_FSYNC, EIO},
    {Operation::kTruncate, SQLITE_FULL, ENOSPC},
    {Operation::kTruncate, SQLITE_IOERR_TRUNCATE, EIO},
    {Operation::kDelete, SQLITE_IOERR_DELETE, EIO},
    {Operation::kSharedMemory, SQLITE_IOERR_SHMSIZE, ENOSPC},
    {Operation::kSharedMemory, SQLITE_IOERR_SHMMAP, EIO},
};

const Kind kFailingWrites[] = {{Operation::kWrite, SQLITE_FULL, ENOSPC},
                               {Operation::kWrite, SQLITE_IOERR_WRITE, EIO}};

class StoreIoFaultTest : public ::testing::Test {
 protected:
  void MakeOldStore() {
    const auto opened = SqliteStore::Open(path_, clock_);
    ASSERT_TRUE(opened.ok()) << opened.error().Describe();
    base::NoProgress progress;
    ASSERT_TRUE((*opened)->AddSampleSet("old", "f", MakeTable(kOldRows), {}, progress).ok());
    const core::Run run{.id = 0,
                        .name = "old",
                        .job = "{}",
                        .plan = {},
                        .state = RunState::kQueued,
                        .created_at = {},
                        .changed_at = {}};
    ASSERT_TRUE((*opened)->AddRun(run).ok());
  }

  void RemoveFiles() {
    for (const char* suffix : {"", "-wal", "-shm", "-journal"}) {
      std::filesystem::remove(path_.string() + suffix);
    }
  }

  static void ExpectRightError(const base::Error& error, const Fault& fault) {
    EXPECT_EQ(error.code(), ErrorCode::kIo) << error.Describe();
    EXPECT_NE(error.Describe().find(kFileName), std::string::npos) << error.Describe();
    const bool says_full = error.Describe().find("the disk is full") != std::string::npos;
    EXPECT_EQ(says_full, fault.system_errno == ENOSPC) << error.Describe();
  }

  void ExpectIntegrity() {
    const auto connection = SqliteConnection::Open(path_, {});
    ASSERT_TRUE(connection.ok()) << connection.error().Describe();
    const auto verdict = (*connection)->QueryText("PRAGMA integrity_check");
    ASSERT_TRUE(verdict.ok()) << verdict.error().Describe();
    EXPECT_EQ(*verdict, "ok");
  }

  // Runs `act` with the fault at every point in turn (or every `stride`-th) until it is no longer
  // reached; `check` then looks at the store with the disk healthy again.
  void ForEveryFault(const std::function<void()>& prepare, const std::function<base::Status()>& act,
                     const std::function<void(const base::Status&, const Fault&)>& check,
                     std::span<const Kind> kinds = kKinds, int stride = 1) {
    int refused = 0;
    int survived = 0;
    for (const Kind& kind : kinds) {
      for (const bool lasting : {false, true}) {
        for (int at = 1;; at += stride) {
          const Fault fault{kind.operation, at, kind.code, kind.system_errno, lasting};
          SCOPED_TRACE(fmt::format("{} {}{} fails with {}", OperationName(fault.operation), at,
                                   lasting ? " and all after it" : "", fault.code));
          RemoveFiles();
          prepare();
          bool reached = false;
          base::Status done;
          {
            FaultyVfs vfs;
            vfs.Arm(fault);
            done = act();
            reached = vfs.failures() > 0;
          }
          if (!reached) {
            EXPECT_TRUE(done.ok()) << done.error().Describe();
            break;
          }
          ++(done.ok() ? survived : refused);
          if (!done.ok()) ExpectRightError(done.error(), fault);
          ExpectIntegrity();
          check(done, fault);
          if (HasFatalFailure()) return;
        }
      }
    }
    fmt::print("{} faults were reported, {} did no harm\n", refused, survived);
    EXPECT_GT(refused, 0);
  }

  void CheckNewSet(const base::Status& done, const Fault& fault, size_t rows) {
    const auto opened = SqliteStore::Open(path_, clock_);
    ASSERT_TRUE(opened.ok()) << opened.error().Describe();
    const auto old = (*opened)->LoadSamples("old");
    ASSERT_TRUE(old.ok()) << old.error().Describe();
    EXPECT_EQ(Difference(*old, MakeTable(kOldRows)), "");
    const auto added = (*opened)->LoadSamples("new");
    EXPECT_TRUE(!done.ok() || added.ok());
    if (added.ok()) {
      EXPECT_EQ(Difference(*added, MakeTable(rows)), "");
    } else {
      EXPECT_EQ(added.error().code(), ErrorCode::kNotFound);
      EXPECT_EQ((*opened)->ListSampleSets()->size(), 1U);
    }
    // "nothing was written", says the message.
    EXPECT_FALSE(!done.ok() && fault.system_errno == ENOSPC && added.ok());
  }

  base::Status Import(size_t rows) {
    RECKON_ASSIGN(const auto opened, SqliteStore::Open(path_, clock_));
    base::NoProgress progress;
    RECKON_TRY(opened->AddSampleSet("new", "g", MakeTable(rows), {}, progress));
    return {};
  }

  base::SystemClock clock_;
  TempFolder folder_;
  std::filesystem::path path_ = folder_ / kFileName;
};

TEST_F(StoreIoFaultTest, Create) {
  ForEveryFault([] {},
                [this]() -> base::Status {
                  RECKON_TRY(SqliteStore::Open(path_, clock_));
                  return {};
                },
                [this](const base::Status&, const Fault&) {
                  const auto opened = SqliteStore::Open(path_, clock_);
                  ASSERT_TRUE(opened.ok()) << opened.error().Describe();
                  EXPECT_TRUE((*opened)->ListSampleSets()->empty());
                });
}

TEST_F(StoreIoFaultTest, Import) {
  ForEveryFault(
      [this] { MakeOldStore(); }, [this] { return Import(400); },
      [this](const base::Status& done, const Fault& fault) { CheckNewSet(done, fault, 400); });
}

// So large that SQLite writes pages out long before the commit.
TEST_F(StoreIoFaultTest, ImportBeyondTheCache) {
  constexpr size_t kRows = 100'000;
  ForEveryFault(
      [this] { MakeOldStore(); }, [this] { return Import(kRows); },
      [this](const base::Status& done, const Fault& fault) { CheckNewSet(done, fault, kRows); },
      kFailingWrites, /*stride=*/301);
}

TEST_F(StoreIoFaultTest, Remove) {
  ForEveryFault([this] { MakeOldStore(); },
                [this]() -> base::Status {
                  RECKON_ASSIGN(const auto opened, SqliteStore::Open(path_, clock_));
                  return opened->RemoveSampleSet("old");
                },
                [this](const base::Status& done, const Fault&) {
                  const auto opened = SqliteStore::Open(path_, clock_);
                  ASSERT_TRUE(opened.ok()) << opened.error().Describe();
                  const auto old = (*opened)->LoadSamples("old");
                  EXPECT_FALSE(done.ok() && old.ok());
                  EXPECT_EQ(old.ok() ? Difference(*old, MakeTable(kOldRows)) : "", "");
                });
}

TEST_F(StoreIoFaultTest, MoveRun) {
  ForEveryFault([this] { MakeOldStore(); },
                [this]() -> base::Status {
                  RECKON_ASSIGN(const auto opened, SqliteStore::Open(path_, clock_));
                  RECKON_TRY(opened->MoveRun(1, RunState::kQueued, RunState::kPlanning, ""));
                  return {};
                },
                [this](const base::Status& done, const Fault&) {
                  const auto opened = SqliteStore::Open(path_, clock_);
                  ASSERT_TRUE(opened.ok()) << opened.error().Describe();
                  const bool moved = (*opened)->FindRun(1)->state == RunState::kPlanning;
                  EXPECT_TRUE(!done.ok() || moved);
                  EXPECT_EQ((*opened)->ListEvents(1, 0, 10)->size(), moved ? 1U : 0U);
                });
}

// What was acknowledged is on disk, not on its way there.
TEST_F(StoreIoFaultTest, ACommitWaitsForTheDisk) {
  MakeOldStore();
  FaultyVfs vfs;
  const auto opened = SqliteStore::Open(path_, clock_);
  ASSERT_TRUE(opened.ok());
  const core::Event event{.id = 0, .run_id = {}, .kind = "k", .detail = "", .at = {}};
  ASSERT_TRUE((*opened)->AddEvent(event).ok());
  for (int i = 0; i < 3; ++i) {
    vfs.Arm({Operation::kSync, 1, SQLITE_IOERR_FSYNC, EIO, false});
    EXPECT_FALSE((*opened)->AddEvent(event).ok());
    EXPECT_EQ(vfs.failures(), 1);
    vfs.Disarm();
    EXPECT_TRUE((*opened)->AddEvent(event).ok());
  }
  EXPECT_EQ((*opened)->ListEvents({}, 0, 10)->size(), 4U);
}

// The same connection goes on once the disk has room again.
TEST_F(StoreIoFaultTest, AStoreGoesOnAfterAFullDisk) {
  MakeOldStore();
  FaultyVfs vfs;
  const auto opened = SqliteStore::Open(path_, clock_);
  ASSERT_TRUE(opened.ok());
  base::NoProgress progress;
  for (int at = 1; at < 40; ++at) {
    vfs.Arm({Operation::kWrite, at, SQLITE_FULL, ENOSPC, true});
    const auto added = (*opened)->AddSampleSet("new", "g", MakeTable(5000), {}, progress);
    ASSERT_FALSE(added.ok());
    EXPECT_EQ(added.error().message(),
              "store '" + path_.string() + "': the disk is full; nothing was written");
    vfs.Disarm();
    EXPECT_EQ((*opened)->ListSampleSets()->size(), 1U);
  }
  ASSERT_TRUE((*opened)->AddSampleSet("new", "g", MakeTable(5000), {}, progress).ok());
  EXPECT_EQ(Difference(*(*opened)->LoadSamples("new"), MakeTable(5000)), "");
}

}  // namespace
}  // namespace reckon::fault
