// Threads and processes on one SQLite file at once: nobody loses anything.
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "store/sqlite/sqlite_store.h"
#include "tests/unit/store/support.h"
#include "tests/unit/store/writers.h"

namespace reckon::store::testing {
namespace {

TEST(SqliteConcurrencyTest, ThreadsThatShareAStore) {
  TempFolder folder;
  const base::SystemClock clock;
  {
    const auto store = SqliteStore::Open(folder / "x.db", clock, kPatient);
    ASSERT_TRUE(store.ok());
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] { Write(**store, fmt::format("thread-{}", i)); });
    }
    threads.emplace_back([&] {
      for (int i = 0; i < 25; ++i) EXPECT_TRUE((*store)->ListEvents({}, 0, 10).ok());
    });
  }
  ExpectNothingLost(folder / "x.db", {"thread-0", "thread-1", "thread-2", "thread-3"});
}

// The file does not exist at the start: making and migrating it is part of the race.
TEST(SqliteConcurrencyTest, ThreadsAndProcessesOnOneFile) {
  TempFolder folder;
  WriteFromEverywhere(folder / "x.db");
}

// A process loses its locks on a file with the first descriptor of it that it closes, and with them
// the log that the next one to leave removes.
TEST(SqliteConcurrencyTest, OpeningAndClosingAgainTakesNothingFromAnOpenStore) {
  TempFolder folder;
  const std::filesystem::path path = folder / "x.db";
  const base::SystemClock clock;
  const auto store = SqliteStore::Open(path, clock, kPatient);
  ASSERT_TRUE(store.ok());
  Write(**store, "first");
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(SqliteStore::Open(path, clock, kPatient).ok());
  const pid_t child = StartWriter(path, "process");
  ExpectEndedWell(child);
  Write(**store, "second");
  ExpectNothingLost(path, {"first", "process", "second"});
}

}  // namespace
}  // namespace reckon::store::testing
