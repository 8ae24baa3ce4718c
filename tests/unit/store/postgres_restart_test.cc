// A server that is killed, stopped and started again under a store at work.
#include <atomic>
#include <functional>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "store/postgres/postgres_store.h"
#include "tests/support/within.h"
#include "tests/unit/store/postgres_place.h"
#include "tests/unit/store/support.h"

namespace reckon::store::testing {
namespace {

using base::ErrorCode;

core::Event Numbered(int number) {
  return {.id = 0, .run_id = {}, .kind = "n", .detail = fmt::format(R"({{"n":{}}})", number)};
}

class PostgresRestartTest : public ::testing::Test {
 protected:
  std::unique_ptr<PostgresStore> Open() {
    auto store = PostgresStore::Open(StoreAddress(url_), clock_);
    EXPECT_TRUE(store.ok()) << store.error().Describe();
    return *std::move(store);
  }

  base::SystemClock clock_;
  support::PostgresServer server_{support::PostgresServer::Durability::kFull};
  std::string url_ = server_.NewDatabase();
};

TEST_F(PostgresRestartTest, ACallAfterARestartThatNobodyNoticedSucceeds) {
  const auto store = Open();
  ASSERT_TRUE(store->AddEvent(Numbered(0)).ok());
  server_.Stop();
  server_.Start();
  const auto added = store->AddEvent(Numbered(1));
  EXPECT_TRUE(added.ok()) << added.error().Describe();
  server_.Kill();
  server_.Start();
  const auto read = store->ListEvents({}, 0, 10);
  ASSERT_TRUE(read.ok()) << read.error().Describe();
  EXPECT_EQ(read->size(), 2U);
}

TEST_F(PostgresRestartTest, WhileTheServerIsAwayCallsAreUnavailable) {
  const auto store = Open();
  server_.Stop();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(store->AddEvent(Numbered(0)).error().code(), ErrorCode::kUnavailable);
    EXPECT_EQ(store->ListRuns(1, {}).error().code(), ErrorCode::kUnavailable);
  }
  server_.Start();
  EXPECT_TRUE(store->AddEvent(Numbered(0)).ok());
}

// One session is ended by an operator in the middle of an import.
TEST_F(PostgresRestartTest, AnImportWhoseConnectionBreaksLeavesNothing) {
  class Breaking final : public base::Progress {
   public:
    explicit Breaking(std::function<void()> act) : act_(std::move(act)) {}
    void Begin(std::string_view, uint64_t) override {}
    void Advance(uint64_t) override {
      if (++looks_ == 3) act_();
    }
    void End() override {}

   private:
    std::function<void()> act_;
    int looks_ = 0;
  };
  const auto store = Open();
  Breaking progress([&] {
    server_.Run("postgres",
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE application_name = 'reckon'");
  });
  const auto set = store->AddSampleSet("runs", "f", MakeTable(200'000), {}, progress);
  ASSERT_FALSE(set.ok());
  EXPECT_EQ(set.error().code(), ErrorCode::kUnavailable) << set.error().Describe();
  EXPECT_TRUE(store->ListSampleSets()->empty());
  base::NoProgress silent;
  EXPECT_TRUE(store->AddSampleSet("runs", "f", MakeTable(2000), {}, silent).ok());
}

TEST_F(PostgresRestartTest, WhatWasAcknowledgedSurvivesTheDeathOfTheServer) {
  constexpr int kWriters = 3;
  constexpr int kDeaths = 3;
  const auto store = Open();
  std::mutex mutex;
  std::vector<std::string> acknowledged;
  std::atomic<int> unavailable = 0;
  std::atomic<int> other_errors = 0;
  // Before any of them writes: the server dies when one has, and could not be opened then.
  std::vector<std::unique_ptr<PostgresStore>> own;
  for (int w = 1; w < kWriters; ++w) own.push_back(Open());
  std::vector<std::jthread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w](const std::stop_token& stop) {
      Store& mine = w == 0 ? *store : *own[static_cast<size_t>(w) - 1];
      for (int i = w; !stop.stop_requested(); i += kWriters) {
        const core::Event event = Numbered(i);
        const auto added = mine.AddEvent(event);
        if (added.ok()) {
          const std::scoped_lock lock(mutex);
          acknowledged.push_back(event.detail);
          continue;
        }
        if (added.error().code() != ErrorCode::kUnavailable) {
          ADD_FAILURE() << added.error().Describe();
          ++other_errors;
        }
        ++unavailable;
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    });
  }
  const auto written = [&] {
    const std::scoped_lock lock(mutex);
    return acknowledged.size();
  };
  const auto go_on = [&] {
    const size_t before = written();
    return support::Within(std::chrono::minutes(2), [&] { return written() >= before + 30; });
  };
  for (int death = 0; death < kDeaths; ++death) {
    ASSERT_TRUE(go_on());
    server_.Kill();
    server_.Start();
  }
  ASSERT_TRUE(go_on());
  for (std::jthread& writer : writers) writer.request_stop();
  writers.clear();
  EXPECT_GT(unavailable, 0);
  EXPECT_EQ(other_errors, 0);
  const auto events = store->ListEvents({}, 0, SIZE_MAX);
  ASSERT_TRUE(events.ok()) << events.error().Describe();
  std::multiset<std::string> there;
  for (const core::Event& event : *events) there.insert(event.detail);
  for (const std::string& detail : acknowledged) EXPECT_EQ(there.count(detail), 1U) << detail;
  // What was under way when the server died may be there as well: at most one call a writer.
  EXPECT_LE(there.size(), acknowledged.size() + kWriters * kDeaths);
}

}  // namespace
}  // namespace reckon::store::testing
