// Streams of events over real connections, from a real store.
#include "serve/event_feed.h"

#include <mutex>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "net/http_server.h"
#include "serve/routes.h"
#include "store/sqlite/sqlite_store.h"
#include "tests/support/raw_connection.h"
#include "tests/support/temp_folder.h"
#include "tests/support/within.h"

namespace reckon::serve {
namespace {

using core::RunState;
using std::chrono::milliseconds;
using support::Within;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr milliseconds kPatience{20'000};  // sanitizers on a busy machine

// A service with nothing but streams; what runs are up to, the test says.
class EventFeedTest : public ::testing::Test {
 protected:
  void Start(FeedOptions options = {.period = milliseconds(10), .progress = milliseconds(10)}) {
    feed_.emplace(options, *store_, log_, [this](int64_t run) -> base::Result<RunNews> {
      const std::scoped_lock lock(mutex_);
      return RunNews{fmt::format(R"({{"run":{},"done":{}}})", run, done_), ended_};
    });
    router_.emplace(EventRoutes(*feed_));
    server_ =
        net::HttpServer::Start({}, [this](const net::HttpRequest& call, net::HttpReply reply) {
          auto answer = router_->Handle(call, Caller(), reply);
          if (answer) reply.Send(*std::move(answer));
        }).value();
  }

  support::RawConnection Listen(const std::string& target, const std::string& more = "") {
    support::RawConnection listener(server_->port(), kPatience);
    listener.Send(fmt::format("GET {} HTTP/1.1\r\nHost: x\r\n{}\r\n", target, more));
    return listener;
  }

  int64_t AddRun() { return store_->AddRun({.name = "r", .job = "{}"})->id; }
  void Move(int64_t run, RunState from, RunState to) {
    ASSERT_TRUE(store_->MoveRun(run, from, to, "").ok());
  }
  void Set(int done, bool ended) {
    const std::scoped_lock lock(mutex_);
    done_ = done;
    ended_ = ended;
  }

  support::TempFolder folder_;
  base::SystemClock clock_;
  base::Logger log_{base::LogLevel::kError};
  std::unique_ptr<store::Store> store_ = store::SqliteStore::Open(folder_ / "s.db", clock_).value();
  std::mutex mutex_;
  int done_ = 0;
  bool ended_ = false;
  std::optional<EventFeed> feed_;
  std::optional<Router> router_;
  std::unique_ptr<net::HttpServer> server_;
};

TEST_F(EventFeedTest, ARunIsToldFromItsBeginningToItsEnd) {
  const int64_t run = AddRun();
  const int64_t other = AddRun();
  Move(run, RunState::kQueued, RunState::kPlanning);
  Start();
  auto listener = Listen(fmt::format("/api/v1/runs/{}/stream", run));
  const std::string first = listener.ReadUntil("\"planning\"}}\n\n");
  EXPECT_THAT(first, AllOf(HasSubstr("text/event-stream"), HasSubstr("id: 1\nevent: run.state")));
  EXPECT_THAT(listener.ReadUntil("\"done\":0}\n\n"), HasSubstr("event: progress"));
  Move(other, RunState::kQueued, RunState::kPlanning);
  Move(run, RunState::kPlanning, RunState::kStarting);
  Set(7, false);
  const std::string next = listener.ReadUntil("\"done\":7}\n\n");
  EXPECT_THAT(next, AllOf(HasSubstr("\"starting\""),
                          Not(HasSubstr(fmt::format("\"run\":{},\"at\"", other)))));
  Move(run, RunState::kStarting, RunState::kFailed);
  Set(7, true);
  const std::string last = listener.ReadUntil("0\r\n\r\n");
  EXPECT_LT(last.find("\"failed\""), last.find("event: end"));
  EXPECT_TRUE(last.ends_with("0\r\n\r\n")) << last;
  EXPECT_TRUE(Within(kPatience, [&] { return feed_->listeners() == 0; }));
}

TEST_F(EventFeedTest, WhoComesAgainMissesNothingAndHearsNothingTwice) {
  const int64_t run = AddRun();
  Start();
  {
    auto listener = Listen("/api/v1/stream");
    ASSERT_TRUE(Within(kPatience, [&] { return feed_->listeners() == 1; }));
    listener.ReadUntil("retry: 2000\n\n");
    Move(run, RunState::kQueued, RunState::kPlanning);
    EXPECT_THAT(listener.ReadUntil("\"planning\"}"), HasSubstr("id: 1\n"));
  }
  Move(run, RunState::kPlanning, RunState::kStarting);
  EXPECT_TRUE(Within(kPatience, [&] { return feed_->listeners() == 0; }));
  Move(run, RunState::kStarting, RunState::kRunning);
  for (const auto& [target, more] : {std::pair("/api/v1/stream", "Last-Event-ID: 1\r\n"),
                                     std::pair("/api/v1/stream?after=1", "")}) {
    auto listener = Listen(target, more);
    const std::string missed = listener.ReadUntil("\"running\"}");
    EXPECT_THAT(missed,
                AllOf(HasSubstr("id: 2\n"), HasSubstr("id: 3\n"), Not(HasSubstr("id: 1\n"))));
  }
}

// Events that are written while listeners come and go reach each of them once and in order.
TEST_F(EventFeedTest, EventsOfABusyStoreComeOnceAndInOrder) {
  constexpr int kEvents = 2500;  // more than a page
  const int64_t run = AddRun();
  Start();
  std::vector<support::RawConnection> listeners;
  for (int i = 0; i < 10; ++i) {
    listeners.push_back(
        Listen(i % 2 == 0 ? "/api/v1/stream?after=0" : fmt::format("/api/v1/runs/{}/stream", run)));
    for (int k = 0; k < kEvents / 10; ++k) {
      ASSERT_TRUE(store_->AddEvent({0, run, "tick", "{}", {}}).ok());
    }
  }
  for (support::RawConnection& listener : listeners) {
    const std::string text = listener.ReadUntil(fmt::format("\"id\":{},", kEvents));
    size_t at = 0;
    for (int id = 1; id <= kEvents; ++id) {
      const size_t next = text.find(fmt::format("\"id\":{},", id), at);
      ASSERT_NE(next, std::string::npos) << id;
      at = next;
    }
    EXPECT_EQ(text.find("\"id\":1,", text.find("\"id\":1,") + 1), std::string::npos);
  }
}

TEST_F(EventFeedTest, BadCallsAreRefusedAndSilenceIsFilled) {
  Start({.period = milliseconds(10), .alive = milliseconds(50), .most_listeners = 1});
  auto listener = Listen("/api/v1/stream");
  EXPECT_THAT(listener.ReadUntil(":\n\n"), HasSubstr(":\n\n"));
  EXPECT_THAT(Listen("/api/v1/stream").ReadUntil("}"), HasSubstr(" 503 "));
  EXPECT_THAT(Listen("/api/v1/runs/9/stream").ReadUntil("}"), HasSubstr(" 404 "));
  EXPECT_THAT(Listen("/api/v1/runs/x/stream").ReadUntil("}"), HasSubstr(" 400 "));
  EXPECT_THAT(Listen("/api/v1/stream?after=-1").ReadUntil("}"), HasSubstr(" 400 "));
  EXPECT_THAT(Listen("/api/v1/stream", "Last-Event-ID: x\r\n").ReadUntil("}"),
              AllOf(HasSubstr(" 400 "), HasSubstr("Last-Event-ID")));
}

}  // namespace
}  // namespace reckon::serve
