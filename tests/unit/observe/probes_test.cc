#include <algorithm>
#include <csignal>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net/tcp.h"
#include "observe/probes/process_tree.h"
#include "observe/probes/tcp_bytes.h"
#include "observe/probes/tcp_diag.h"

namespace reckon::observe {
namespace {

using std::chrono::milliseconds;

// Two ends of a connection within this process.
struct ProbedPair {
  explicit ProbedPair(const char* host = "127.0.0.1")
      : listener(net::Listener::Bind({host, 0}).value()),
        near(net::Stream::Connect({host, listener.port()}, milliseconds(2000)).value()),
        far(listener.Accept().value()) {}

  // Read at the other end.
  void Send(size_t bytes) {
    std::vector<std::byte> data(bytes);
    std::jthread reader([&] {
      std::vector<std::byte> buffer(bytes);
      ASSERT_TRUE(far.Read(buffer).ok());
    });
    ASSERT_TRUE(near.Write(data).ok());
  }

  net::Listener listener;
  net::Stream near;
  net::Stream far;
};

bool IsBelow(pid_t pid, pid_t root) {
  const auto all = Descendants(root);
  return std::any_of(all.begin(), all.end(), [&](const auto& entry) { return entry.pid == pid; });
}

TEST(ProcessTreeTest, FindsThoseBelowAndTheirMemory) {
  int told[2];
  ASSERT_EQ(pipe(told), 0);
  const pid_t child = fork();
  if (child == 0) {
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      setsid();
      sleep(100);
      _exit(0);
    }
    const std::vector<char> memory(50'000'000, 1);
    (void)!write(told[1], &grandchild, sizeof grandchild);
    sleep(100);
    _exit(memory[7] == 1 ? 0 : 1);
  }
  pid_t grandchild = 0;
  ASSERT_EQ(read(told[0], &grandchild, sizeof grandchild), static_cast<ssize_t>(sizeof grandchild));
  EXPECT_TRUE(IsBelow(child, getpid()));
  EXPECT_TRUE(IsBelow(grandchild, getpid()));
  EXPECT_TRUE(IsBelow(grandchild, child));
  EXPECT_FALSE(IsBelow(child, child));
  const auto all = Descendants(getpid());
  const uint64_t memory = MemoryOf(all);
  EXPECT_GE(memory, 50'000'000U);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // these need more of their own
  EXPECT_LE(memory, 80'000'000U);
#endif
  kill(child, SIGKILL);
  // A leader is a zombie before its last thread (a sanitizer's, say) has ended, and until then the
  // grandchild stays below us.
  auto left = Descendants(getpid());
  for (int i = 0; i < 2000 && !(left.size() == 1 && left[0].zombie); ++i) {
    std::this_thread::sleep_for(milliseconds(5));
    left = Descendants(getpid());
  }
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left[0].pid, child);
  EXPECT_TRUE(left[0].zombie);
  EXPECT_EQ(MemoryOf(left), 0U);  // a zombie holds none
  kill(grandchild, SIGKILL);
  waitpid(child, nullptr, 0);
  EXPECT_FALSE(IsBelow(child, getpid()));
  close(told[0]);
  close(told[1]);
}

TEST(TcpBytesTest, OpenAndEndedConnectionsOfBothKinds) {
  for (const char* host : {"127.0.0.1", "::1"}) {
    auto diag = TcpDiag::Open("").value();
    const bool hears_ends = diag->hears_ends();
    TcpBytes bytes(std::move(diag));
    auto pair = std::make_unique<ProbedPair>(host);
    bytes.Sample({getpid()});
    pair->Send(1'000'000);
    bytes.Sample({getpid()});
    // Both ends are ours.
    EXPECT_EQ(bytes.sent(), 1'000'000U) << host;
    EXPECT_EQ(bytes.received(), 1'000'000U) << host;
    EXPECT_TRUE(bytes.Pending());
    pair->Send(500'000);
    pair.reset();
    for (int i = 0; i < 100 && bytes.Pending(); ++i) {
      std::this_thread::sleep_for(milliseconds(10));
      bytes.Sample({getpid()});
    }
    EXPECT_FALSE(bytes.Pending());
    if (!hears_ends) continue;  // what came after the last look is not told
    // The end of a stream may count as a byte.
    EXPECT_NEAR(static_cast<double>(bytes.sent()), 1.5e6, 2) << host;
    EXPECT_NEAR(static_cast<double>(bytes.received()), 1.5e6, 2) << host;
  }
}

TEST(TcpBytesTest, OthersAreNotCountedAndTheUnknownAreAdmitted) {
  auto diag = TcpDiag::Open("").value();
  if (!diag->hears_ends()) GTEST_SKIP() << "needs to hear the ends of sockets";
  TcpBytes bytes(std::move(diag));
  auto pair = std::make_unique<ProbedPair>();
  pair->Send(1000);
  bytes.Sample({});  // ours, but of none of these processes
  pair.reset();
  std::this_thread::sleep_for(milliseconds(100));
  bytes.Sample({});
  EXPECT_EQ(bytes.sent(), 0U);
  ProbedPair().Send(1000);  // comes and goes between two looks
  for (int i = 0; i < 100 && bytes.complete(); ++i) {
    std::this_thread::sleep_for(milliseconds(10));
    bytes.Sample({});
  }
  EXPECT_EQ(bytes.sent(), 0U);
  EXPECT_FALSE(bytes.complete());
}

TEST(TcpDiagTest, SeesOnlyItsNamespace) {
  if (geteuid() != 0) GTEST_SKIP() << "needs to make a network namespace";
  int ready[2];
  ASSERT_EQ(pipe(ready), 0);
  const pid_t child = fork();
  if (child == 0) {
    const char made = unshare(CLONE_NEWNET) == 0 ? 'y' : 'n';
    (void)!write(ready[1], &made, 1);
    sleep(100);
    _exit(0);
  }
  char made = 'n';
  ASSERT_EQ(read(ready[0], &made, 1), 1);
  ASSERT_EQ(made, 'y');
  const std::string path = "/proc/" + std::to_string(child) + "/ns/net";
  const ProbedPair pair;
  auto there = TcpDiag::Open(path).value();
  auto here = TcpDiag::Open("").value();
  EXPECT_TRUE(there->hears_ends());
  EXPECT_EQ(there->List().value().size(), 0U);
  EXPECT_GE(here->List().value().size(), 2U);
  EXPECT_FALSE(TcpDiag::Open("/no/namespace").ok());
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
  close(ready[0]);
  close(ready[1]);
}

TEST(SocketInodesTest, OfAProcess) {
  const std::set<uint64_t> before = SocketInodes({getpid()});
  const ProbedPair pair;
  EXPECT_EQ(SocketInodes({getpid()}).size(), before.size() + 3);
  EXPECT_TRUE(SocketInodes({1 << 30}).empty());
}

}  // namespace
}  // namespace reckon::observe
