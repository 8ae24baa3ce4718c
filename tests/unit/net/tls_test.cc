// HTTP over TLS: real sockets, real certificates.
#include "net/tls.h"

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <netinet/in.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "net/http_client.h"
#include "net/http_server.h"
#include "tests/support/certificates.h"
#include "tests/support/raw_connection.h"
#include "tests/support/temp_folder.h"
#include "tests/support/within.h"

namespace reckon::net {
namespace {

using base::ErrorCode;
using std::chrono::milliseconds;
using std::chrono::seconds;
using support::CertificateIssuer;
using support::CertificateWish;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class TlsTest : public ::testing::Test {
 protected:
  TlsTest() {
    folder_.Write("ca.pem", issuer_.Root());
    Show(issuer_, {});
  }

  // The server's files from now on.
  void Show(const CertificateIssuer& by, const CertificateWish& wish) {
    const support::PemPair pair = by.Issue(wish);
    folder_.Write("cert.pem", pair.certificate);
    folder_.Write("key.pem", pair.key);
  }

  HttpServerOptions Options() {
    HttpServerOptions options;
    options.tls = TlsFiles{folder_ / "cert.pem", folder_ / "key.pem"};
    return options;
  }
  std::unique_ptr<HttpServer> Start(const HttpServerOptions& options) {
    return HttpServer::Start(
               options,
               [](const HttpRequest& request) {
                 return HttpResponse{200, "text/plain", request.body, {{"x-peer", request.peer}}};
               })
        .value();
  }
  std::unique_ptr<HttpServer> Start() { return Start(Options()); }

  HttpClient Client(const HttpServer& server, const std::string& host = "localhost") {
    return HttpClient({host, server.port()}, {.connect_patience = milliseconds(5000),
                                              .tls = TlsTrust::Load(folder_ / "ca.pem").value()});
  }
  base::Result<HttpResponse> Call(const HttpServer& server, const std::string& host = "localhost") {
    return Client(server, host).Post("/", "hello");
  }

  support::TempFolder folder_;
  CertificateIssuer issuer_{"a root of the test"};
};

// Bytes within TLS, as they are.
class RawTls {
 public:
  explicit RawTls(uint16_t port, int newest_version = 0)
      : context_(SSL_CTX_new(TLS_client_method())), tls_(nullptr) {
    if (newest_version != 0) {
      SSL_CTX_set_security_level(context_, 0);
      SSL_CTX_set_max_proto_version(context_, newest_version);
    }
    socket_ = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const timeval patience{10, 0};
    setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    connected_ = connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0;
    tls_ = SSL_new(context_);
    SSL_set_fd(tls_, socket_);
    connected_ = connected_ && SSL_connect(tls_) == 1;
  }
  ~RawTls() {
    SSL_free(tls_);
    SSL_CTX_free(context_);
    close(socket_);
  }
  RawTls(const RawTls&) = delete;
  RawTls& operator=(const RawTls&) = delete;

  bool connected() const { return connected_; }
  void Send(std::string_view text) {
    ASSERT_EQ(SSL_write(tls_, text.data(), static_cast<int>(text.size())),
              static_cast<int>(text.size()));
  }
  std::string ReadUntil(std::string_view end) {
    std::string text;
    char byte = 0;
    while (!text.ends_with(end) && SSL_read(tls_, &byte, 1) == 1) text += byte;
    return text;
  }
  std::string ReadAll() { return ReadUntil(std::string_view("\0never\0", 7)); }
  // The other side has taken leave, and was not just gone.
  bool WasClosedProperly() const { return SSL_get_shutdown(tls_) == SSL_RECEIVED_SHUTDOWN; }

 private:
  SSL_CTX* context_;
  SSL* tls_;
  int socket_ = -1;
  bool connected_ = false;
};

TEST_F(TlsTest, RequestsAndAnswersOfAnySizeOverOneConnection) {
  auto options = Options();
  options.most_connections = 1;
  const auto server = Start(options);
  HttpClient client = Client(*server);
  for (const size_t size : {0U, 1U, 70'000U, 3'000'000U}) {
    const std::string body(size, 'x');
    const auto answer = client.Post("/", body);
    ASSERT_TRUE(answer.ok()) << answer.error().Describe();
    EXPECT_EQ(answer->body, body);
  }
  EXPECT_TRUE(Start(Options()) != nullptr);
}

TEST_F(TlsTest, TheNameOrTheAddressMustBeTheCertificates) {
  const auto server = Start();
  ASSERT_TRUE(Call(*server, "localhost").ok());
  ASSERT_TRUE(Call(*server, "127.0.0.1").ok());
  Show(issuer_, {.alternatives = "DNS:elsewhere.example,IP:10.0.0.1"});
  const auto other = Start();
  for (const char* host : {"localhost", "127.0.0.1"}) {
    const auto answer = Call(*other, host);
    ASSERT_FALSE(answer.ok());
    EXPECT_EQ(answer.error().code(), ErrorCode::kBadInput);
    EXPECT_THAT(answer.error().Describe(),
                AllOf(HasSubstr("for another name than"), HasSubstr(host)));
  }
}

TEST_F(TlsTest, CertificatesOfOthersAndOfOtherTimesAreNotBelieved) {
  const CertificateIssuer stranger("a root of the test");
  struct Case {
    const CertificateIssuer* by;
    CertificateWish wish;
    const char* reason;
  };
  const Case cases[] = {{&stranger, {}, "issuer that is not known"},
                        {&issuer_, {.valid_from_s = -7200, .valid_to_s = -3600}, "has expired"},
                        {&issuer_, {.valid_from_s = 3600, .valid_to_s = 7200}, "not valid yet"}};
  for (const Case& one : cases) {
    Show(*one.by, one.wish);
    const auto server = Start();
    const auto answer = Call(*server);
    ASSERT_FALSE(answer.ok()) << one.reason;
    EXPECT_EQ(answer.error().code(), ErrorCode::kBadInput);
    EXPECT_THAT(answer.error().Describe(), HasSubstr(one.reason));
  }
  // Nor by the system's roots, which do not know the test's.
  Show(issuer_, {});
  const auto server = Start();
  HttpClient client({"localhost", server->port()}, {.tls = TlsTrust::Load("").value()});
  EXPECT_THAT(client.Post("/", "").error().Describe(), HasSubstr("issuer that is not known"));
}

TEST_F(TlsTest, WhoSpeaksTheOtherLanguageIsToldSo) {
  const auto server = Start();
  HttpClient plain({"127.0.0.1", server->port()});
  const auto told = plain.Post("/", "hello");
  ASSERT_TRUE(told.ok()) << told.error().Describe();
  EXPECT_EQ(told->status, 400);
  EXPECT_THAT(told->body, HasSubstr("speaks TLS"));

  HttpServerOptions options;
  const auto plain_server = Start(options);
  const auto answer = Call(*plain_server);
  ASSERT_FALSE(answer.ok());
  EXPECT_EQ(answer.error().code(), ErrorCode::kFailed);
  EXPECT_THAT(answer.error().Describe(), HasSubstr("does not speak TLS"));
}

TEST_F(TlsTest, OldVersionsAreRefused) {
  const auto server = Start();
  EXPECT_FALSE(RawTls(server->port(), TLS1_1_VERSION).connected());
  EXPECT_TRUE(RawTls(server->port(), TLS1_2_VERSION).connected());
  EXPECT_TRUE(RawTls(server->port(), TLS1_3_VERSION).connected());
}

TEST_F(TlsTest, WhoNeverAgreesOnKeysIsGivenUp) {
  auto options = Options();
  options.most_connections = 1;
  options.patience = milliseconds(300);
  const auto server = Start(options);
  for (const char* said : {"", "\x16\x03\x01\x02", "\x16\x03\x01\xff\xff garbage garbage"}) {
    support::RawConnection slow(server->port());
    slow.Send(said);
    const auto begin = std::chrono::steady_clock::now();
    slow.ReadAll();  // until it is closed
    EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(4)) << said;
  }
  // And its place is free again.
  EXPECT_TRUE(support::Within(seconds(5), [&] { return Call(*server).ok(); }));
}

TEST_F(TlsTest, ASilentConnectionIsClosedAfterAWhile) {
  auto options = Options();
  options.patience = milliseconds(300);
  const auto server = Start(options);
  RawTls raw(server->port());
  ASSERT_TRUE(raw.connected());
  raw.Send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nhalf");
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(raw.ReadAll(), "");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, seconds(4));
}

TEST_F(TlsTest, ARefusedBodyDoesNotSwallowTheAnswer) {
  auto options = Options();
  options.most_body_bytes = 1000;
  const auto server = Start(options);
  const auto answer = Client(*server).Post("/", std::string(200'000, 'x'));
  // The client writes all before it reads, as far as the other side takes it.
  ASSERT_TRUE(answer.ok()) << answer.error().Describe();
  EXPECT_EQ(answer->status, 413);
}

// Replies that the test answers when it likes.
class Held {
 public:
  HttpServer::LaterHandler Handler() {
    return [this](const HttpRequest&, HttpReply reply) {
      const std::lock_guard lock(mutex_);
      reply_.emplace(std::move(reply));
    };
  }
  HttpReply Take() {
    std::optional<HttpReply> reply;
    EXPECT_TRUE(support::Within(seconds(10), [&] {
      const std::lock_guard lock(mutex_);
      reply = std::exchange(reply_, std::nullopt);
      return reply.has_value();
    }));
    return *reply;
  }

 private:
  std::mutex mutex_;
  std::optional<HttpReply> reply_;
};

TEST_F(TlsTest, AnswersMayComeLater) {
  Held held;
  auto options = Options();
  options.patience = milliseconds(100);
  const auto server = HttpServer::Start(options, held.Handler()).value();
  std::jthread answer([&] {
    HttpReply reply = held.Take();
    std::this_thread::sleep_for(milliseconds(300));
    reply.Send({201, "text/plain", "late"});
  });
  EXPECT_EQ(Call(*server)->body, "late");
}

TEST_F(TlsTest, StreamsArriveBitByBitAndEndProperly) {
  Held held;
  const auto server = HttpServer::Start(Options(), held.Handler()).value();
  RawTls raw(server->port());
  raw.Send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
  HttpStream stream = held.Take().Stream({200, "text/event-stream", "first\n"});
  EXPECT_THAT(raw.ReadUntil("\r\n\r\n"), AllOf(StartsWith("HTTP/1.1 200"), HasSubstr("chunked")));
  EXPECT_EQ(raw.ReadUntil("first\n\r\n"), "6\r\nfirst\n\r\n");
  EXPECT_TRUE(stream.Write("second\n"));
  EXPECT_EQ(raw.ReadUntil("second\n\r\n"), "7\r\nsecond\n\r\n");
  const std::string large(500'000, 'y');
  EXPECT_TRUE(stream.Write(large));
  EXPECT_THAT(raw.ReadUntil("y\r\n"), HasSubstr(large));
  stream.Close();
  EXPECT_EQ(raw.ReadAll(), "0\r\n\r\n");
  EXPECT_TRUE(raw.WasClosedProperly());
}

TEST_F(TlsTest, AListenerThatLeavesIsNoticedAndOneThatIsTooSlowGivenUp) {
  Held held;
  auto options = Options();
  options.patience = milliseconds(500);
  const auto server = HttpServer::Start(options, held.Handler()).value();
  auto leaves = std::make_unique<RawTls>(server->port());
  leaves->Send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
  const HttpStream left = held.Take().Stream({200, "text/event-stream", "first\n"});
  leaves->ReadUntil("first\n");
  leaves.reset();
  EXPECT_TRUE(support::Within(seconds(10), [&] { return !left.open(); }));

  RawTls slow(server->port());
  slow.Send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
  HttpStream flood = held.Take().Stream({200, "text/event-stream", "first\n"});
  const std::string text(1 << 20, 'z');
  EXPECT_TRUE(support::Within(seconds(20), [&] { return !flood.Write(text); }));
}

TEST_F(TlsTest, ANewCertificateIsShownWithoutAStop) {
  const CertificateIssuer next("the next root");
  const auto server = Start();
  HttpClient kept = Client(*server);
  ASSERT_TRUE(kept.Post("/", "x").ok());
  Show(next, {});
  EXPECT_TRUE(Call(*server).ok());  // nobody has read it yet
  ASSERT_TRUE(server->ReloadTls().ok());
  EXPECT_TRUE(support::Within(seconds(5), [&] { return !Call(*server).ok(); }));
  EXPECT_TRUE(kept.Post("/", "x").ok());  // connections stay
  folder_.Write("ca.pem", next.Root());
  EXPECT_TRUE(Call(*server).ok());
  // What cannot be read changes nothing.
  folder_.Write("key.pem", issuer_.Issue().key);
  const auto wrong_key = server->ReloadTls();
  ASSERT_FALSE(wrong_key.ok());
  EXPECT_THAT(wrong_key.error().Describe(), HasSubstr("does not belong to the certificate"));
  EXPECT_TRUE(Call(*server).ok());
}

TEST_F(TlsTest, FilesThatAreNoneAreSaid) {
  const auto start = [&] {
    return HttpServer::Start(Options(), [](const HttpRequest&) { return HttpResponse{}; });
  };
  folder_.Write("key.pem", "nothing");
  EXPECT_THAT(start().error().Describe(), HasSubstr("holds no key"));
  folder_.Write("cert.pem", "nothing");
  EXPECT_THAT(start().error().Describe(), HasSubstr("holds no certificate"));
  std::filesystem::remove(folder_ / "cert.pem");
  EXPECT_EQ(start().error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(TlsTrust::Load(folder_ / "none.pem").error().code(), ErrorCode::kNotFound);
  EXPECT_EQ(TlsTrust::Load(folder_ / "key.pem").error().code(), ErrorCode::kBadInput);
}

}  // namespace
}  // namespace reckon::net
