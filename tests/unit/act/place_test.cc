// Ranks in network namespaces and cgroups. Needs root.
#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/run_watch.h"

namespace reckon::act {
namespace {

using support::TestRun;
using testing::HasSubstr;

// A namespace whose loopback works, for as long as this lives.
class TestNamespace {
 public:
  TestNamespace() {
    int ready[2];
    RECKON_CHECK(pipe(ready) == 0);
    child_ = fork();
    if (child_ == 0) {
      ifreq request{};
      request.ifr_name[0] = 'l';
      request.ifr_name[1] = 'o';
      const bool made = unshare(CLONE_NEWNET) == 0;
      const int any = socket(AF_INET, SOCK_DGRAM, 0);
      request.ifr_flags = IFF_UP;
      const char done = made && ioctl(any, SIOCSIFFLAGS, &request) == 0 ? 'y' : 'n';
      (void)!write(ready[1], &done, 1);
      sleep(120);
      _exit(0);
    }
    char done = 'n';
    made_ = read(ready[0], &done, 1) == 1 && done == 'y';
    close(ready[0]);
    close(ready[1]);
  }
  ~TestNamespace() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  TestNamespace(const TestNamespace&) = delete;
  TestNamespace& operator=(const TestNamespace&) = delete;

  bool made() const { return made_; }
  std::string path() const { return fmt::format("/proc/{}/ns/net", child_); }

 private:
  pid_t child_ = 0;
  bool made_ = false;
};

// A folder in the hierarchy at `root`; empty where there is none or it may not be made.
class TestCgroup {
 public:
  explicit TestCgroup(const std::string& root) {
    const std::string folder = fmt::format("{}/reckon-test-{}", root, getpid());
    std::error_code code;
    if (std::filesystem::exists(root + "/cgroup.procs") &&
        std::filesystem::create_directory(folder, code)) {
      folder_ = folder;
    }
  }
  ~TestCgroup() {
    if (!folder_.empty()) rmdir(folder_.c_str());
  }
  TestCgroup(const TestCgroup&) = delete;
  TestCgroup& operator=(const TestCgroup&) = delete;

  const std::string& folder() const { return folder_; }
  // Whether it was empty and is gone.
  bool Remove() { return rmdir(std::exchange(folder_, "").c_str()) == 0; }

 private:
  std::string folder_;
};

TEST(PlaceTest, RanksAreMeasuredInTheirNamespace) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  const TestNamespace network;
  if (!network.made()) GTEST_SKIP() << "cannot make network namespaces";
  TestRun run;
  run.Add("server", {RECKON_RANK_PROGRAM, "receive", "port", "3000000"});
  run.Add("worker", {RECKON_RANK_PROGRAM, "send", "port", "3000000"});
  for (ProcessSpec& process : run.spec.processes) process.place.netns = network.path();
  run.Script("worker", "readlink /proc/self/ns/net").place.netns = network.path();
  ASSERT_TRUE(run.Start().ok());
  ASSERT_TRUE(run.WaitForEnd());
  EXPECT_EQ(run.States(), "starting running finished");
  EXPECT_EQ(run.Log("worker-1.log"), std::filesystem::read_symlink(network.path()).string() + "\n");
  for (const base::Json& usage : run.Events("rank.usage")) {
    const bool sender = usage.at("role") == "worker" && usage.at("index") == 0;
    const bool receiver = usage.at("role") == "server";
    EXPECT_NEAR(usage.at("bytes_sent").get<double>(), sender ? 3e6 : 0, 3e4) << usage;
    EXPECT_NEAR(usage.at("bytes_received").get<double>(), receiver ? 3e6 : 0, 3e4) << usage;
  }
}

TEST(PlaceTest, RanksJoinTheirCgroupsAndLeaveThemEmpty) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  int tried = 0;
  for (const char* root : {"/sys/fs/cgroup", "/sys/fs/cgroup/cpu", "/sys/fs/cgroup/unified",
                           "/sys/fs/cgroup/memory"}) {
    TestCgroup cgroup(root);
    if (cgroup.folder().empty()) continue;
    ++tried;
    TestRun run;
    run.Script("worker", "cat /proc/self/cgroup; exec sleep 0.2").place.cgroups = {cgroup.folder()};
    ASSERT_TRUE(run.Start().ok());
    ASSERT_TRUE(run.WaitForEnd());
    EXPECT_EQ(run.States(), "starting running finished") << run.Reason();
    EXPECT_THAT(run.Log("worker-0.log"), HasSubstr(fmt::format("/reckon-test-{}", getpid())));
    EXPECT_TRUE(cgroup.Remove()) << root;
  }
  if (tried == 0) GTEST_SKIP() << "cannot make cgroups";
}

TEST(PlaceTest, AKilledKeeperLeavesNoCgroup) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root";
  int tried = 0;
  for (const char* root : {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"}) {
    TestCgroup cgroup(root);
    if (cgroup.folder().empty()) continue;
    ++tried;
    TestRun run;
    run.Add("worker", {RECKON_RANK_PROGRAM, "brood"}).place.cgroups = {cgroup.folder()};
    ASSERT_TRUE(run.Start().ok());
    ASSERT_TRUE(run.WaitForState("running"));
    std::ifstream stat(fmt::format("/proc/{}/stat", run.PidOf("worker", 0)));
    std::string skipped;
    pid_t keeper = 0;
    stat >> skipped >> skipped >> skipped >> keeper;
    ASSERT_GT(keeper, 1);
    ASSERT_EQ(kill(keeper, SIGKILL), 0);
    ASSERT_TRUE(run.WaitForEnd());
    EXPECT_THAT(run.Reason(), HasSubstr("worker 0 was lost: its keeper was killed by signal 9"));
    EXPECT_TRUE(cgroup.Remove());
  }
  if (tried == 0) GTEST_SKIP() << "cannot make cgroups of version 2";
}

}  // namespace
}  // namespace reckon::act
