// Answers that come later, from other threads, or bit by bit.
#include "net/http_reply.h"

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <gmock/gmock.h>

#include "net/http_client.h"
#include "net/http_server.h"
#include "tests/support/raw_connection.h"

namespace reckon::net {
namespace {

using std::chrono::milliseconds;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

template <typename Condition>
bool Soon(Condition condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(milliseconds(2));
  }
  return true;
}

// Keeps the reply of the last request for the test to answer.
class Kept {
 public:
  HttpServer::LaterHandler Handler() {
    return [this](HttpRequest, HttpReply reply) {
      const std::lock_guard lock(mutex_);
      reply_.emplace(std::move(reply));
    };
  }
  HttpReply Take() {
    EXPECT_TRUE(Soon([&] {
      const std::lock_guard lock(mutex_);
      return reply_.has_value();
    }));
    const std::lock_guard lock(mutex_);
    HttpReply reply = *std::move(reply_);
    reply_.reset();
    return reply;
  }

 private:
  std::mutex mutex_;
  std::optional<HttpReply> reply_;
};

class Raw : public support::RawConnection {
 public:
  explicit Raw(const HttpServer& server) : RawConnection(server.port()) {}
};

TEST(HttpReplyTest, AnswersComeLaterAndFromOtherThreads) {
  Kept kept;
  const auto server = HttpServer::Start({.patience = milliseconds(50)}, kept.Handler()).value();
  HttpClient client({"127.0.0.1", server->port()});
  for (int round = 0; round < 3; ++round) {  // the connection is kept
    std::thread answer([&] {
      HttpReply reply = kept.Take();
      std::this_thread::sleep_for(milliseconds(120));  // longer than the other side may be silent
      reply.Send({201, "text/plain", "late"});
      reply.Send({500, "text/plain", "only the first counts"});
    });
    const auto response = client.Call({.method = "GET", .target = "/x"}).value();
    answer.join();
    EXPECT_EQ(response.status, 201);
    EXPECT_EQ(response.body, "late");
  }
}

TEST(HttpReplyTest, OthersAreServedMeanwhile) {
  std::mutex mutex;
  std::optional<HttpReply> slow;  // guarded by mutex
  const auto server = HttpServer::Start({}, [&](HttpRequest request, HttpReply reply) {
                        if (request.target == "/slow") {
                          const std::lock_guard lock(mutex);
                          slow.emplace(std::move(reply));
                        } else {
                          reply.Send({200, "text/plain", "quick"});
                        }
                      }).value();
  auto waiting = std::async(std::launch::async, [&] {
    return HttpClient({"127.0.0.1", server->port()}).Call({.method = "GET", .target = "/slow"});
  });
  HttpClient client({"127.0.0.1", server->port()});
  while (waiting.wait_for(milliseconds(20)) == std::future_status::timeout) {
    EXPECT_EQ(client.Call({.method = "GET", .target = "/"}).value().body, "quick");
    const std::lock_guard lock(mutex);
    if (slow) slow->Send({200, "text/plain", "slow"});
  }
  EXPECT_EQ(waiting.get().value().body, "slow");
}

TEST(HttpReplyTest, NoAnswerAtAllIsOneToo) {
  const auto server = HttpServer::Start({}, [](HttpRequest, HttpReply) {}).value();
  HttpClient client({"127.0.0.1", server->port()});
  const auto response = client.Call({.method = "GET", .target = "/"}).value();
  EXPECT_EQ(response.status, 500);
  EXPECT_THAT(response.body, HasSubstr("no answer was given"));
}

TEST(HttpReplyTest, StreamsArriveBitByBit) {
  Kept kept;
  const auto server = HttpServer::Start({}, kept.Handler()).value();
  Raw raw(*server);
  raw.Send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
  HttpStream stream = kept.Take().Stream({200, "text/event-stream", "first\n"});
  const std::string head = raw.ReadUntil("\r\n\r\n");
  EXPECT_THAT(head, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(head, HasSubstr("text/event-stream"));
  EXPECT_THAT(head, HasSubstr("chunked"));
  EXPECT_EQ(raw.ReadUntil("first\n\r\n"), "6\r\nfirst\n\r\n");
  EXPECT_TRUE(stream.Write("second\n"));
  EXPECT_EQ(raw.ReadUntil("second\n\r\n"), "7\r\nsecond\n\r\n");
  EXPECT_TRUE(stream.Write(""));  // which must not end it
  EXPECT_TRUE(stream.Write("x"));
  EXPECT_THAT(raw.ReadUntil("x\r\n"), EndsWith("1\r\nx\r\n"));
  stream.Close();
  EXPECT_FALSE(stream.Write("after the end"));
  EXPECT_EQ(raw.ReadAll(), "0\r\n\r\n");
}

TEST(HttpReplyTest, TheLastHandleEndsAStream) {
  Kept kept;
  const auto server = HttpServer::Start({}, kept.Handler()).value();
  Raw raw(*server);
  raw.Send("GET / HTTP/1.0\r\n\r\n");
  {
    HttpStream stream = kept.Take().Stream({200, "text/plain", "all"});
    const HttpStream copy = stream;
  }
  const std::string text = raw.ReadAll();
  EXPECT_THAT(text, EndsWith("\r\n\r\nall"));  // HTTP/1.0 knows no chunks
  EXPECT_EQ(text.find("chunked"), std::string::npos);
}

TEST(HttpReplyTest, WhoLeavesIsNoticed) {
  Kept kept;
  const auto server = HttpServer::Start({}, kept.Handler()).value();
  std::optional<Raw> raw(*server);
  raw->Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  HttpStream stream = kept.Take().Stream({200, "text/plain", "x"});
  EXPECT_THAT(raw->ReadUntil("x\r\n"), HasSubstr("x"));
  EXPECT_TRUE(stream.open());
  raw.reset();
  EXPECT_TRUE(Soon([&] { return !stream.open(); }));
  EXPECT_FALSE(stream.Write("y"));
}

TEST(HttpReplyTest, WhoIsTooSlowIsGivenUp) {
  Kept kept;
  const auto server = HttpServer::Start({}, kept.Handler()).value();
  Raw raw(*server);
  raw.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  HttpStream stream = kept.Take().Stream({200, "text/plain", ""});
  const std::string part(1 << 20, 'x');
  int taken = 0;
  while (taken < 200 && stream.Write(part)) ++taken;  // nobody reads
  EXPECT_LT(taken, 200);
  EXPECT_FALSE(stream.open());
}

TEST(HttpReplyTest, RepliesMayOutliveTheServer) {
  Kept kept;
  auto server = HttpServer::Start({}, kept.Handler()).value();
  Raw first(*server);
  first.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  HttpReply reply = kept.Take();
  Raw second(*server);
  second.Send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  HttpStream stream = kept.Take().Stream({200, "text/plain", "x"});
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    while (!stop) stream.Write("x");
  });
  server.reset();
  stop = true;
  writer.join();
  reply.Send({200, "text/plain", "too late"});
  EXPECT_FALSE(stream.open());
}

}  // namespace
}  // namespace reckon::net
