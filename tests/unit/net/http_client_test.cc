#include "net/http_client.h"

#include <array>
#include <atomic>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "net/http_server.h"
#include "net/tcp.h"

namespace reckon::net {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

HttpClientOptions Quick() {
  return {.connect_patience = milliseconds(2000), .answer_patience = milliseconds(2000)};
}

// What a supervisor does with reports: only those with the run's token are taken.
HttpResponse TakeWithToken(const HttpRequest& request) {
  const auto token = request.headers.find("authorization");
  if (token == request.headers.end() || token->second != "Bearer secret") {
    return {401, "application/json", "{\"error\": \"wrong token\"}"};
  }
  if (request.target != "/runs/7/events") return {404, "application/json", "{}"};
  return {204, "", ""};
}

TEST(HttpClientTest, StatusAndBodyComeBackWhateverTheyAre) {
  const auto server = HttpServer::Start({}, TakeWithToken).value();
  HttpClient client({"127.0.0.1", server->port()}, Quick());
  EXPECT_EQ(client.Post("/runs/7/events", "{}", {{"authorization", "Bearer secret"}})->status, 204);
  const auto refused = client.Post("/runs/7/events", "{}", {{"authorization", "Bearer wrong"}});
  ASSERT_TRUE(refused.ok());
  EXPECT_EQ(refused->status, 401);
  EXPECT_EQ(refused->body, "{\"error\": \"wrong token\"}");
  EXPECT_EQ(refused->content_type, "application/json");
  EXPECT_EQ(client.Post("/else", "{}", {{"authorization", "Bearer secret"}})->status, 404);
  EXPECT_EQ(client.Call({"HEAD", "/", {}, ""})->status, 401);
  EXPECT_EQ(client.Post("/runs/7/events", "{}")->status, 401);
}

TEST(HttpClientTest, TheConnectionIsKeptAndMadeAnewWhenTheServerComesBack) {
  std::atomic<int> calls = 0;
  const auto handler = [&](const HttpRequest& request) {
    ++calls;
    return HttpResponse{200, "text/plain", request.body};
  };
  // One connection at a time: a second one would be refused.
  auto server = HttpServer::Start({.most_connections = 1}, handler).value();
  const Address address{"127.0.0.1", server->port()};
  HttpClient client(address, Quick());
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(client.Post("/", std::to_string(i))->body, std::to_string(i));
  }
  server.reset();
  const auto away = client.Post("/", "away");
  ASSERT_FALSE(away.ok());
  EXPECT_EQ(away.error().code(), base::ErrorCode::kUnavailable);
  EXPECT_THAT(away.error().message(), HasSubstr(address.ToText()));
  server = HttpServer::Start({.listen = address}, handler).value();
  EXPECT_EQ(client.Post("/", "back")->body, "back");
  // And without a failing call in between.
  server.reset();
  server = HttpServer::Start({.listen = address}, handler).value();
  EXPECT_EQ(client.Post("/", std::string(1'000'000, 'x'))->body.size(), 1'000'000U);
  EXPECT_EQ(calls, 7);
}

TEST(HttpClientTest, IdleConnectionsThatTheServerClosedDoNotHurt) {
  const auto server = HttpServer::Start({.patience = milliseconds(50)}, TakeWithToken).value();
  HttpClient client({"127.0.0.1", server->port()}, Quick());
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(client.Post("/", "x")->status, 401);
    std::this_thread::sleep_for(milliseconds(200));
  }
}

// Takes connections one after the other, reads a little, answers with `answer`, then waits for
// `hold` before it closes.
class CannedServer {
 public:
  CannedServer(std::string answer, milliseconds hold)
      : listener_(Listener::Bind({"127.0.0.1", 0}).value()),
        thread_([this, answer = std::move(answer), hold] {
          while (true) {
            auto stream = listener_.Accept();
            if (!stream.ok()) return;
            ++connections_;
            std::array<std::byte, 16> some{};
            if (!stream->Read(some).ok()) continue;
            (void)stream->Write(std::as_bytes(std::span(answer.data(), answer.size())));
            std::this_thread::sleep_for(hold);
          }
        }) {}
  ~CannedServer() { listener_.Close(); }
  Address address() const { return {"127.0.0.1", listener_.port()}; }
  int connections() const { return connections_; }

 private:
  Listener listener_;
  std::atomic<int> connections_ = 0;
  std::jthread thread_;
};

TEST(HttpClientTest, ASilentServerIsGivenUp) {
  const CannedServer server("", milliseconds(700));
  HttpClient client(server.address(), {.answer_patience = milliseconds(200)});
  const auto begin = std::chrono::steady_clock::now();
  const auto answer = client.Post("/", "x");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, milliseconds(650));
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code(), base::ErrorCode::kUnavailable);
  EXPECT_THAT(answer.error().message(), HasSubstr("no whole answer within 0.2 s"));
  EXPECT_EQ(server.connections(), 1);  // not sent twice
}

TEST(HttpClientTest, AnswersThatAreNoHttpOrStopOrNeverStopAreErrors) {
  {
    const CannedServer server("what?\r\n\r\n", milliseconds(0));
    HttpClient client(server.address(), Quick());
    EXPECT_EQ(client.Post("/", "x").error().code(), base::ErrorCode::kCorrupt);
  }
  {
    const CannedServer server("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", milliseconds(0));
    HttpClient client(server.address(), Quick());
    EXPECT_EQ(client.Post("/", "x").error().code(), base::ErrorCode::kUnavailable);
    EXPECT_EQ(server.connections(), 1);
  }
  {
    const CannedServer server("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", milliseconds(0));
    HttpClient client(server.address(), {.most_body_bytes = 999});
    EXPECT_EQ(client.Post("/", "x").error().code(), base::ErrorCode::kCorrupt);
  }
}

TEST(HttpClientTest, LineBreaksDoNotBecomeHeaders) {
  const auto server = HttpServer::Start({}, TakeWithToken).value();
  HttpClient client({"127.0.0.1", server->port()}, Quick());
  const auto header = client.Post("/", "", {{"authorization", "a\r\nx-evil: 1"}});
  ASSERT_FALSE(header.ok());
  EXPECT_THAT(header.error().message(), HasSubstr("header 'authorization'"));
  EXPECT_EQ(client.Post("/a b", "").error().code(), base::ErrorCode::kBadInput);
  EXPECT_FALSE(client.Post("/", "", {{"x-long", std::string(100'000, 'x')}}).ok());
}

TEST(HttpClientTest, NobodyListeningAndNoSuchHostAreSaid) {
  uint16_t free = 0;
  { free = Listener::Bind({"127.0.0.1", 0}).value().port(); }
  EXPECT_EQ(HttpClient({"127.0.0.1", free}, Quick()).Post("/", "").error().code(),
            base::ErrorCode::kUnavailable);
  EXPECT_EQ(HttpClient({"no.such.host.invalid", 80}, Quick()).Post("/", "").error().code(),
            base::ErrorCode::kNotFound);
}

TEST(HttpClientTest, ManyClientsAtOnce) {
  std::multiset<std::string> bodies;  // touched by the server's thread until it has ended
  auto server = HttpServer::Start({}, [&](const HttpRequest& request) {
                  bodies.insert(request.body);
                  return HttpResponse{200, "text/plain", request.body};
                }).value();
  const Address address{"127.0.0.1", server->port()};
  constexpr int kClients = 32;
  constexpr int kCalls = 50;
  {
    std::vector<std::jthread> threads;
    for (int c = 0; c < kClients; ++c) {
      threads.emplace_back([&, c] {
        HttpClient client(address, {});
        for (int i = 0; i < kCalls; ++i) {
          const std::string body = std::to_string(c) + "/" + std::to_string(i);
          const auto answer = client.Post("/", body);
          ASSERT_TRUE(answer.ok()) << answer.error().Describe();
          ASSERT_EQ(answer->body, body);
        }
      });
    }
  }
  server.reset();
  EXPECT_EQ(bodies.size(), size_t{kClients} * kCalls);
  EXPECT_EQ(std::set<std::string>(bodies.begin(), bodies.end()).size(), bodies.size());
}

TEST(UrlTest, UrlsAreTakenApart) {
  const auto whole = ParseUrl("http://127.0.0.1:41000/runs/7/events?x=1#part");
  ASSERT_TRUE(whole.ok());
  EXPECT_EQ(whole->address.ToText(), "127.0.0.1:41000");
  EXPECT_EQ(whole->target, "/runs/7/events?x=1");
  EXPECT_EQ(ParseUrl("http://node1")->address.ToText(), "node1:80");
  EXPECT_EQ(ParseUrl("http://node1")->target, "/");
  EXPECT_EQ(ParseUrl("http://node1?x")->target, "/?x");
  EXPECT_EQ(ParseUrl("http://[::1]/a")->address.ToText(), "[::1]:80");
  EXPECT_EQ(ParseUrl("http://[::1]:81/a")->address.ToText(), "[::1]:81");
  for (const char* bad :
       {"", "node1:80", "http://", "http:///x", "http://a:b/", "http://a:0/", "http://a:70000/",
        "ftp://a/", "http://u@a/", "http://a/b c", "http://a/\n", "http://[::1/", "http://:80/"}) {
    const auto url = ParseUrl(bad);
    ASSERT_FALSE(url.ok()) << bad;
    EXPECT_THAT(url.error().message(), HasSubstr("expected http://HOST:PORT/PATH")) << bad;
  }
  EXPECT_FALSE(whole->secure);
  EXPECT_EQ(ParseUrl("https://node1")->address.ToText(), "node1:443");
  EXPECT_TRUE(ParseUrl("https://node1:4180/x")->secure);
}

}  // namespace
}  // namespace reckon::net
