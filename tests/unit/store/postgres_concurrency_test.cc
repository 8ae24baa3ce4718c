// Threads and processes on one PostgreSQL database at once: nobody loses anything, and who reads on
// from the last event misses none.
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "store/postgres/postgres_store.h"
#include "tests/unit/store/postgres_place.h"
#include "tests/unit/store/support.h"
#include "tests/unit/store/writers.h"

namespace reckon::store::testing {
namespace {

std::unique_ptr<PostgresStore> OpenPatiently(const std::string& url, const base::Clock& clock) {
  auto store = PostgresStore::Open(StoreAddress(url), clock, kPatient);
  EXPECT_TRUE(store.ok()) << store.error().Describe();
  return *std::move(store);
}

TEST(PostgresConcurrencyTest, ThreadsThatShareAStore) {
  const std::string url = SharedServer().NewDatabase();
  const base::SystemClock clock;
  {
    const auto store = OpenPatiently(url, clock);
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] { Write(*store, fmt::format("thread-{}", i)); });
    }
    threads.emplace_back([&] {
      for (int i = 0; i < 25; ++i) EXPECT_TRUE(store->ListEvents({}, 0, 10).ok());
    });
  }
  ExpectNothingLost(StoreAddress(url), {"thread-0", "thread-1", "thread-2", "thread-3"});
}

// There is no store at the start: making and migrating it is part of the race.
TEST(PostgresConcurrencyTest, ThreadsAndProcessesOnOneDatabase) {
  WriteFromEverywhere(StoreAddress(SharedServer().NewDatabase()));
}

// Batches take unequally long between their first id and their commit, which is when ids that were
// drawn first would be committed last.
TEST(PostgresConcurrencyTest, AReaderThatFollowsIdsMissesNone) {
  constexpr int kWriters = 4;
  constexpr int kBatches = 40;
  const std::string url = SharedServer().NewDatabase();
  const base::SystemClock clock;
  const auto reader = OpenPatiently(url, clock);
  std::atomic<size_t> written = 0;
  std::vector<std::jthread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w] {
      const auto own = OpenPatiently(url, clock);
      for (int i = 0; i < kBatches; ++i) {
        const std::vector<core::Event> batch((i * 37 + w * 11) % 200 + 1,
                                             {.id = 0, .run_id = {}, .kind = "k", .detail = "{}"});
        ASSERT_TRUE(own->AddEvents(batch).ok());
        written += batch.size();
        ASSERT_TRUE(own->AddEvent(batch.front()).ok());
        ++written;
      }
    });
  }
  size_t seen = 0;
  int64_t last = 0;
  for (bool done = false;;) {
    const auto page = reader->ListEvents({}, last, 1000);
    ASSERT_TRUE(page.ok()) << page.error().Describe();
    for (const core::Event& event : *page) {
      EXPECT_GT(event.id, last);
      last = event.id;
    }
    seen += page->size();
    if (done && page->empty()) break;
    if (page->empty()) {
      for (std::jthread& writer : writers) {
        if (writer.joinable() && written >= kWriters * kBatches) writer.join();
      }
      done = std::none_of(writers.begin(), writers.end(),
                          [](const std::jthread& writer) { return writer.joinable(); });
    }
  }
  EXPECT_EQ(seen, written);
}

}  // namespace
}  // namespace reckon::store::testing
