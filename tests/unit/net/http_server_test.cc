// The server as anyone finds it: raw bytes over real sockets.
#include "net/http_server.h"

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/rng.h"
#include "net/tcp.h"

namespace reckon::net {
namespace {

using std::chrono::milliseconds;
using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::StartsWith;

HttpResponse EchoRequest(const HttpRequest& request) {
  const auto mark = request.headers.find("x-mark");
  return {200, "text/plain",
          request.method + " " + request.target + " " + request.body + "|" +
              (mark == request.headers.end() ? "" : mark->second)};
}

std::unique_ptr<HttpServer> StartServer(HttpServerOptions options = {},
                                        HttpServer::Handler handler = EchoRequest) {
  return HttpServer::Start(options, std::move(handler)).value();
}

class RawClient {
 public:
  explicit RawClient(const HttpServer& server)
      : stream_(Stream::Connect({"127.0.0.1", server.port()}, milliseconds(2000)).value()) {
    stream_.set_patience(milliseconds(5000));
  }
  bool Send(std::string_view text) {
    return stream_.Write(std::as_bytes(std::span(text.data(), text.size()))).ok();
  }
  // Up to and with `end`; what came until the connection ended when it never comes.
  std::string ReadUntil(std::string_view end) {
    std::string text;
    std::array<std::byte, 1> byte{};
    while (!text.ends_with(end) && stream_.Read(byte).ok()) {
      text += static_cast<char>(byte[0]);
    }
    return text;
  }
  std::string ReadAll() { return ReadUntil(std::string_view("\0never\0", 7)); }
  Stream& stream() { return stream_; }

 private:
  Stream stream_;
};

std::string RawPost(std::string_view body, std::string_view headers = "") {
  return "POST /events?x=1 HTTP/1.1\r\nHost: a\r\n" + std::string(headers) +
         "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + std::string(body);
}

TEST(HttpServerTest, OneConnectionCarriesManyRequests) {
  const auto server = StartServer();
  RawClient client(*server);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(client.Send(RawPost("body" + std::to_string(i), "X-Mark: A\r\nx-MARK: B\r\n")));
    const std::string answer = client.ReadUntil("|A, B");
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 OK\r\n"));
    EXPECT_THAT(answer, HasSubstr("POST /events?x=1 body" + std::to_string(i)));
  }
  // Two at once are answered one after the other.
  ASSERT_TRUE(client.Send(RawPost("first") + RawPost("second")));
  EXPECT_THAT(client.ReadUntil("first|"), HasSubstr("200"));
  EXPECT_THAT(client.ReadUntil("second|"), HasSubstr("200"));
  ASSERT_TRUE(client.Send("GET /end HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
  EXPECT_THAT(client.ReadAll(), EndsWith("GET /end |"));
}

TEST(HttpServerTest, HeadAndNoContentComeWithoutBody) {
  const auto server = StartServer({}, [](const HttpRequest& request) {
    return HttpResponse{request.target == "/none" ? 204 : 200, "text/plain", "body"};
  });
  RawClient client(*server);
  ASSERT_TRUE(client.Send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n"));
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), HasSubstr("Content-Length: 4"));
  ASSERT_TRUE(client.Send("GET /none HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"));
  EXPECT_THAT(client.ReadAll(), AllOf(StartsWith("HTTP/1.1 204"), EndsWith("\r\n\r\n")));
}

TEST(HttpServerTest, ChunksAndExpectationsAreTaken) {
  const auto server = StartServer();
  RawClient client(*server);
  ASSERT_TRUE(
      client.Send("POST /c HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
                  "Transfer-Encoding: chunked\r\n\r\n"));
  EXPECT_EQ(client.ReadUntil("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  ASSERT_TRUE(client.Send("4\r\nabcd\r\n2\r\nef\r\n0\r\n\r\n"));
  EXPECT_THAT(client.ReadUntil("|"), EndsWith("POST /c abcdef|"));
}

TEST(HttpServerTest, TooLargeABodyIsRefusedAndTheAnswerCanBeRead) {
  std::atomic<int> calls = 0;
  const auto server = StartServer({.most_body_bytes = 1000}, [&](const HttpRequest&) {
    ++calls;
    return HttpResponse{};
  });
  {
    RawClient client(*server);  // says at once how long
    // All of it is taken: many clients read no answer before that.
    EXPECT_TRUE(client.Send(RawPost(std::string(20'000'000, 'x'))));
    const std::string answer = client.ReadAll();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 413 "));
    EXPECT_THAT(answer, HasSubstr("longer than 1000 bytes"));
  }
  {
    RawClient client(*server);  // does not say
    client.Send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
    for (int i = 0; i < 20; ++i) client.Send("64\r\n" + std::string(100, 'x') + "\r\n");
    EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 413 "));
  }
  EXPECT_EQ(calls, 0);
  RawClient client(*server);
  client.Send(RawPost(std::string(1000, 'x')));
  EXPECT_THAT(client.ReadUntil("\r\n\r\n"), StartsWith("HTTP/1.1 200"));
}

TEST(HttpServerTest, AGateAnswersBeforeTheBodyHasCome) {
  std::atomic<int> handled = 0;
  const auto server = HttpServer::Start(
                          {},
                          [&](const HttpRequest& request) {
                            ++handled;
                            return EchoRequest(request);
                          },
                          [](const HttpRequest& head) -> std::optional<HttpResponse> {
                            EXPECT_EQ(head.method, "POST");
                            EXPECT_EQ(head.target, "/events?x=1");
                            EXPECT_EQ(head.body, "");
                            if (head.headers.contains("x-mark")) return std::nullopt;
                            return HttpResponse{401, "text/plain", "who are you?"};
                          })
                          .value();
  // The body is announced and never sent.
  RawClient stranger(*server);
  const std::string request = RawPost(std::string(1 << 20, 'x'));
  ASSERT_TRUE(stranger.Send(request.substr(0, request.find("\r\n\r\n") + 4)));
  EXPECT_THAT(stranger.ReadAll(),
              AllOf(StartsWith("HTTP/1.1 401"), HasSubstr("close"), EndsWith("who are you?")));
  // Nor is it asked for.
  RawClient asking(*server);
  ASSERT_TRUE(asking.Send(
      "POST /events?x=1 HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n"));
  EXPECT_THAT(asking.ReadAll(), StartsWith("HTTP/1.1 401"));
  EXPECT_EQ(handled, 0);
  RawClient known(*server);
  for (int i = 0; i < 2; ++i) {
    ASSERT_TRUE(known.Send(RawPost("body", "X-Mark: A\r\n")));
    EXPECT_THAT(known.ReadUntil("|A"), HasSubstr("POST /events?x=1 body"));
  }
  EXPECT_EQ(handled, 2);
}

TEST(HttpServerTest, TooLongHeadersAreRefused) {
  const auto server = StartServer();
  RawClient client(*server);
  client.Send("GET / HTTP/1.1\r\nHost: a\r\nX-Long: " + std::string(20'000, 'x') + "\r\n\r\n");
  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 431 "));
}

TEST(HttpServerTest, GarbageIsRefusedAndTheServerGoesOn) {
  const auto server = StartServer({.patience = milliseconds(300)});
  for (const std::string& garbage :
       {std::string("\x16\x03\x01\x02\x00\x01\x00\x01", 8), std::string("hello\r\n\r\n"),
        std::string("GET\r\n\r\n"), std::string("GET / HTTP/9.9\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nContent-Length: -5\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n"),
        std::string("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"),
        std::string("GET / HTTP/1.1\r\nno colon\r\n\r\n")}) {
    RawClient client(*server);
    client.Send(garbage);
    const std::string answer = client.ReadAll();
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 4")) << garbage;
    EXPECT_THAT(answer, HasSubstr("{\"error\": \"")) << garbage;
  }
  base::Rng rng(7);
  for (int i = 0; i < 200; ++i) {
    RawClient client(*server);
    std::string noise;
    const auto size = 1 + rng.Below(400);
    for (uint64_t k = 0; k < size; ++k) noise += static_cast<char>(rng.Below(256));
    client.Send(noise);
    if (i % 2 == 0) client.stream().Shutdown();
  }
  RawClient client(*server);
  client.Send(RawPost("alive"));
  EXPECT_THAT(client.ReadUntil("alive|"), HasSubstr("200"));
}

TEST(HttpServerTest, IdleAndHalfRequestsAreCutOffWhileOthersAreServed) {
  const auto server = StartServer({.patience = milliseconds(400)});
  RawClient idle(*server);
  RawClient half(*server);
  half.Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Le");
  RawClient drop_by_drop(*server);
  drop_by_drop.Send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n");
  const auto begin = std::chrono::steady_clock::now();
  const auto passed = [&] { return std::chrono::steady_clock::now() - begin; };
  // A byte now and then does not buy more time.
  while (drop_by_drop.Send("x") && passed() < milliseconds(4000)) {
    std::this_thread::sleep_for(milliseconds(20));
    RawClient other(*server);
    other.Send(RawPost("other"));
    EXPECT_THAT(other.ReadUntil("other|"), HasSubstr("200"));
  }
  EXPECT_GE(passed(), milliseconds(300));
  EXPECT_LT(passed(), milliseconds(3000));
  EXPECT_EQ(half.ReadAll(), "");
  EXPECT_EQ(idle.ReadAll(), "");
  EXPECT_LT(passed(), milliseconds(3500));
}

TEST(HttpServerTest, WhoGetsNoRoomIsClosedAndRoomComesBack) {
  const auto server = StartServer({.most_connections = 2});
  auto first = std::make_unique<RawClient>(*server);
  RawClient second(*server);
  for (RawClient* client : {first.get(), &second}) {
    client->Send(RawPost("in"));
    EXPECT_THAT(client->ReadUntil("in|"), HasSubstr("200"));
  }
  RawClient third(*server);
  third.Send(RawPost("in"));
  EXPECT_EQ(third.ReadAll(), "");
  first.reset();
  std::string answer;
  for (int i = 0; i < 100 && answer.empty(); ++i) {
    std::this_thread::sleep_for(milliseconds(10));
    RawClient fourth(*server);
    fourth.Send(RawPost("in"));
    answer = fourth.ReadUntil("in|");
  }
  EXPECT_THAT(answer, HasSubstr("200"));
}

TEST(HttpServerTest, RunningOutOfDescriptorsIsSurvived) {
  const auto server = StartServer();
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = dup(0);
  ASSERT_GE(next, 0);
  close(next);
  const rlimit tight{static_cast<rlim_t>(next) + 1, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &tight), 0);
  RawClient client(*server);  // has the last one, so that the server gets none
  EXPECT_LT(dup(0), 0);
  client.Send(RawPost("late"));
  std::this_thread::sleep_for(milliseconds(250));
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_THAT(client.ReadUntil("late|"), HasSubstr("200"));
}

TEST(HttpServerTest, ATakenPortIsSaid) {
  const auto server = StartServer();
  const auto second = HttpServer::Start({.listen = {"127.0.0.1", server->port()}}, EchoRequest);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code(), base::ErrorCode::kUnavailable);
  EXPECT_THAT(second.error().message(), HasSubstr(std::to_string(server->port())));
  EXPECT_EQ(HttpServer::Start({.listen = {"no.such.host.invalid", 0}}, EchoRequest).error().code(),
            base::ErrorCode::kNotFound);
}

TEST(HttpServerTest, EndingItEndsConnectionsAndFreesThePort) {
  auto server = StartServer();
  const uint16_t port = server->port();
  RawClient client(*server);
  client.Send(RawPost("x"));
  EXPECT_THAT(client.ReadUntil("|"), HasSubstr("200"));
  RawClient half(*server);
  half.Send("POST / HT");
  server.reset();
  EXPECT_EQ(client.ReadAll(), "");
  EXPECT_EQ(half.ReadAll(), "");
  EXPECT_TRUE(HttpServer::Start({.listen = {"127.0.0.1", port}}, EchoRequest).ok());
}

TEST(HttpServerTest, ChildProcessesDoNotInheritItsSockets) {
  const auto server = StartServer();
  RawClient client(*server);
  client.Send(RawPost("x"));
  client.ReadUntil("|");
  int sockets_kept = 0;
  for (int descriptor = 3; descriptor < 256; ++descriptor) {
    const int flags = fcntl(descriptor, F_GETFD);
    int type = 0;
    socklen_t size = sizeof type;
    if (flags < 0 || getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &size) != 0) continue;
    if ((flags & FD_CLOEXEC) == 0) ++sockets_kept;
  }
  EXPECT_EQ(sockets_kept, 0);
}

}  // namespace
}  // namespace reckon::net
