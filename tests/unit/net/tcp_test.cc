#include "net/tcp.h"

#include <atomic>
#include <cstring>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace reckon::net {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

const Address kAnyPort{"127.0.0.1", 0};

struct Pair {
  Stream client;
  Stream server;
};

Pair Connected() {
  Listener listener = Listener::Bind(kAnyPort).value();
  Stream client = Stream::Connect({"127.0.0.1", listener.port()}, milliseconds(2000)).value();
  return {std::move(client), listener.Accept().value()};
}

std::span<const std::byte> Bytes(const std::vector<uint8_t>& data) {
  return std::as_bytes(std::span(data));
}

TEST(TcpTest, ManyBytesArriveInOrderBothWays) {
  Pair pair = Connected();
  std::vector<uint8_t> sent(5'000'000);
  for (size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<uint8_t>(i * 7 + i / 1000);
  std::vector<uint8_t> echoed(sent.size() + 3);
  std::jthread server([&] {
    std::vector<uint8_t> got(sent.size() + 3);
    ASSERT_TRUE(pair.server.Read(std::as_writable_bytes(std::span(got))).ok());
    ASSERT_TRUE(pair.server.Write(Bytes(got)).ok());
  });
  const std::vector<uint8_t> head{1, 2, 3};
  ASSERT_TRUE(pair.client.Write(Bytes(head), Bytes(sent)).ok());
  ASSERT_TRUE(pair.client.Read(std::as_writable_bytes(std::span(echoed))).ok());
  EXPECT_TRUE(std::equal(head.begin(), head.end(), echoed.begin()));
  EXPECT_TRUE(std::equal(sent.begin(), sent.end(), echoed.begin() + 3));
}

TEST(TcpTest, ASilentPeerIsNoticed) {
  Pair pair = Connected();
  pair.client.set_patience(milliseconds(50));
  std::vector<uint8_t> buffer(10);
  const auto read = pair.client.Read(std::as_writable_bytes(std::span(buffer)));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code(), base::ErrorCode::kFailed);
  EXPECT_THAT(read.error().message(), HasSubstr("stood still for 0.05 s"));
  // Nor does it wait for ever for one that takes nothing.
  const std::vector<uint8_t> much(64 << 20);
  const auto written = pair.client.Write(Bytes(much));
  ASSERT_FALSE(written.ok());
  EXPECT_THAT(written.error().message(), HasSubstr("stood still"));
}

TEST(TcpTest, AClosedPeerIsAnError) {
  Pair pair = Connected();
  std::vector<uint8_t> buffer(10);
  { const Stream gone = std::move(pair.server); }
  EXPECT_THAT(pair.client.Read(std::as_writable_bytes(std::span(buffer))).error().message(),
              HasSubstr("closed"));
}

TEST(TcpTest, ShutdownEndsAReadElsewhere) {
  Pair pair = Connected();
  std::jthread later([&] {
    std::this_thread::sleep_for(milliseconds(30));
    pair.client.Shutdown();
  });
  std::vector<uint8_t> buffer(10);
  EXPECT_FALSE(pair.client.Read(std::as_writable_bytes(std::span(buffer))).ok());
}

TEST(TcpTest, ATakenPortAndNobodyListeningAreSaid) {
  const Listener first = Listener::Bind(kAnyPort).value();
  const Address taken{"127.0.0.1", first.port()};
  const auto second = Listener::Bind(taken);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code(), base::ErrorCode::kUnavailable);
  EXPECT_THAT(second.error().message(), HasSubstr(taken.ToText()));
  uint16_t free = 0;
  { free = Listener::Bind(kAnyPort).value().port(); }
  EXPECT_FALSE(Stream::Connect({"127.0.0.1", free}, milliseconds(500)).ok());
  EXPECT_EQ(Stream::Connect({"no.such.host.invalid", 1}, milliseconds(500)).error().code(),
            base::ErrorCode::kNotFound);
}

TEST(TcpTest, CloseEndsAccept) {
  Listener listener = Listener::Bind(kAnyPort).value();
  std::jthread later([&] {
    std::this_thread::sleep_for(milliseconds(30));
    listener.Close();
  });
  EXPECT_EQ(listener.Accept().error().code(), base::ErrorCode::kInterrupted);
}

TEST(TcpTest, AddressesAreReadAndWritten) {
  EXPECT_EQ(ParseAddress("node1:80")->ToText(), "node1:80");
  EXPECT_EQ(ParseAddress("[::1]:80")->host, "::1");
  EXPECT_EQ(ParseAddress("[::1]:80")->ToText(), "[::1]:80");
  for (const char* bad : {"node1", ":80", "node1:", "node1:70000", "node1:-1", "node1:x"}) {
    EXPECT_FALSE(ParseAddress(bad).ok()) << bad;
  }
}

TEST(TcpTest, AListenerWaitsForAFreeDescriptor) {
  Listener listener = Listener::Bind(kAnyPort).value();
  Stream client = Stream::Connect({"127.0.0.1", listener.port()}, milliseconds(2000)).value();
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const int next = dup(0);
  close(next);
  rlimit none = before;
  none.rlim_cur = static_cast<rlim_t>(next);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &none), 0);
  std::atomic<bool> accepted = false;
  std::jthread accepter([&] {
    const auto stream = listener.Accept();
    EXPECT_TRUE(stream.ok()) << stream.error().Describe();
    accepted = true;
  });
  std::this_thread::sleep_for(milliseconds(250));
  EXPECT_FALSE(accepted);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
  accepter.join();
  EXPECT_TRUE(accepted);
}

}  // namespace
}  // namespace reckon::net
