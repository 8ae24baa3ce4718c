// Probes of the machine that the tests run on, with real work, cgroups and namespaces.
#include <csignal>
#include <cstdlib>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "net/net_namespace.h"
#include "observe/probes/node_probe.h"
#include "tests/support/sanitized.h"

namespace reckon::observe {
namespace {

namespace fs = std::filesystem;

// A process that `enter`s somewhere, takes some memory and computes until it is ended.
class BusyProcess {
 public:
  template <typename Enter>
  explicit BusyProcess(const Enter& enter) {
    int told[2];
    if (pipe(told) != 0) abort();
    pid_ = fork();
    if (pid_ == 0) {
      entered_ = enter();
      const std::vector<char> memory(kMemoryBytes, 1);
      (void)!write(told[1], &entered_, sizeof entered_);
      for (volatile char sum = 0; entered_;) sum = static_cast<char>(sum + memory[7]);
      pause();
    }
    if (read(told[0], &entered_, sizeof entered_) != sizeof entered_) entered_ = false;
    close(told[0]);
    close(told[1]);
  }
  ~BusyProcess() { (void)End(); }

  pid_t pid() const { return pid_; }
  bool entered() const { return entered_; }
  // Its CPU time, in seconds.
  double End() {
    if (pid_ == 0) return 0;
    kill(pid_, SIGKILL);
    rusage used{};
    wait4(std::exchange(pid_, 0), nullptr, 0, &used);
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
  }

  static constexpr size_t kMemoryBytes = 50'000'000;

 private:
  pid_t pid_ = 0;
  bool entered_ = false;
};

TEST(RealNodeTest, MachineFeelsABusyProcess) {
  const auto probe = NodeProbe::Open({}).value();
  EXPECT_EQ(probe->cpus(), static_cast<double>(sysconf(_SC_NPROCESSORS_ONLN)));
  const NodeCounters before = probe->Read().value();
  BusyProcess busy([] { return true; });
  usleep(500'000);
  const double used_s = busy.End();
  const NodeCounters after = probe->Read().value();
  const double seconds = after.at_s - before.at_s;
  ASSERT_GT(used_s, 0.1);
  // Others may work as well; the machine counts in ticks of 10 ms on every processor.
  const double ticks_s = 0.02 * probe->cpus();
  EXPECT_GE(after.cpu_s - before.cpu_s, used_s - ticks_s);
  EXPECT_LE(after.cpu_s - before.cpu_s, probe->cpus() * seconds + ticks_s);
  EXPECT_GT(after.memory_bytes, 10'000'000U);
  EXPECT_LT(after.memory_bytes, probe->memory_bytes());
  EXPECT_GE(after.steal_s.value(), before.steal_s.value());
  EXPECT_GE(after.interrupt_s.value(), before.interrupt_s.value());
  EXPECT_TRUE(after.net_sent_bytes.has_value());
}

// Folders of cgroups that are removed with it.
class TestCgroups {
 public:
  TestCgroups() {
    const fs::path root = "/sys/fs/cgroup";
    std::vector<fs::path> trees{root};
    if (!fs::exists(root / "cgroup.controllers")) trees = {root / "cpuacct", root / "memory"};
    for (const fs::path& tree : trees) {
      const fs::path folder = tree / fmt::format("reckon-test-{}", getpid());
      std::error_code code;
      if (!fs::create_directory(folder, code)) return;
      folders.push_back(folder.string());
    }
    made = fs::exists(folders.back() + "/memory.stat");
  }
  ~TestCgroups() {
    // A process that has just ended still counts for a moment.
    for (const std::string& folder : folders) {
      for (int i = 0; i < 1000 && rmdir(folder.c_str()) != 0; ++i) usleep(5'000);
    }
  }
  bool Join() const {
    for (const std::string& folder : folders) {
      if (!base::WriteControl(folder + "/cgroup.procs", std::to_string(getpid())).ok())
        return false;
    }
    return true;
  }

  std::vector<std::string> folders;
  bool made = false;
};

TEST(RealNodeTest, CgroupsCountTheirOwn) {
  const TestCgroups groups;
  if (!groups.made) GTEST_SKIP() << "may not make cgroups, or they have no memory controller";
  NodePlace place;
  place.cgroups = groups.folders;
  const auto probe = NodeProbe::Open(place).value();
  const NodeCounters before = probe->Read().value();
  EXPECT_LT(before.memory_bytes, 5'000'000U);
  BusyProcess busy([&] { return groups.Join(); });
  ASSERT_TRUE(busy.entered());
  usleep(300'000);
  const NodeCounters during = probe->Read().value();
  EXPECT_GE(during.memory_bytes, BusyProcess::kMemoryBytes);
  if (!support::kSanitized) {
    EXPECT_LT(during.memory_bytes, 2 * BusyProcess::kMemoryBytes);
  }
  EXPECT_FALSE(during.net_sent_bytes);
  const double used_s = busy.End();
  // What it used before it joined is not theirs.
  EXPECT_NEAR(probe->Read()->cpu_s - before.cpu_s, used_s, 0.05);
}

TEST(RealNodeTest, NamespaceCountsItsDevices) {
  const BusyProcess inside([] {
    return unshare(CLONE_NEWNET) == 0 &&
           system(
               "ip link set lo up && ip link add d0 type veth peer name d1 && "  // NOLINT: a fixed
                                                                                 // command
               "ip addr add 10.99.0.1/24 dev d0 && ip link set d1 up && "
               "ip link set d0 arp off up") == 0;
  });
  if (!inside.entered()) GTEST_SKIP() << "may not make network namespaces and devices";
  NodePlace place;
  place.netns = fmt::format("/proc/{}/ns/net", inside.pid());
  const auto probe = NodeProbe::Open(place).value();
  const NodeCounters before = probe->Read().value();
  const auto send = [](const char* address) {
    const int out = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(9);
    inet_pton(AF_INET, address, &to.sin_addr);
    const std::vector<char> data(1000);
    for (int i = 0; i < 100; ++i) {
      (void)sendto(out, data.data(), data.size(), 0, reinterpret_cast<sockaddr*>(&to), sizeof to);
    }
    close(out);
  };
  const base::Status sent = net::InNamespace(place.netns, [&]() -> base::Status {
    send("127.0.0.1");  // loopback does not count
    send("10.99.0.2");
    return {};
  });
  ASSERT_TRUE(sent.ok());
  const NodeCounters after = probe->Read().value();
  // With headers; and a device that has come up has some words of its own to say. What one end of
  // the cable sends the other receives, in the same namespace.
  EXPECT_GE(*after.net_sent_bytes - *before.net_sent_bytes, 104'200U);
  EXPECT_LE(*after.net_sent_bytes - *before.net_sent_bytes, 110'000U);
  EXPECT_GE(*after.net_received_bytes - *before.net_received_bytes, 104'200U);
  EXPECT_LE(*after.net_received_bytes - *before.net_received_bytes, 110'000U);
}

}  // namespace
}  // namespace reckon::observe
