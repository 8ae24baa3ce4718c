// The parts of a lab that need no root: names, numbers, records, and cgroups on a made-up tree. The
// rest is in tests/fault/lab.sh.
#include "act/lab/lab.h"

#include <atomic>
#include <csignal>
#include <fstream>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "act/command.h"
#include "act/lab/cgroups.h"
#include "act/lab/names.h"
#include "act/lab/network.h"
#include "act/lab/record.h"
#include "tests/support/temp_folder.h"

namespace reckon::act {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string Content(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(CommandTest, KeepsWhatAProgramSaidAndHowItEnded) {
  const auto result = RunCommand({"sh", "-c", "echo out; echo err >&2; exit 3"}).value();
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_EQ(result.out, "out\n");
  EXPECT_EQ(result.err, "err\n");
  EXPECT_EQ(RunCommand({"sh", "-c", "kill -9 $$"}).value().exit_code, 137);
  EXPECT_EQ(RunChecked({"cat", "/dev/null"}).value(), "");
  EXPECT_THAT(RunChecked({"sh", "-c", "echo no >&2; exit 1"}).error().Describe(),
              HasSubstr("failed with code 1: no"));
  EXPECT_THAT(RunCommand({"no-such-program-here"}).error().Describe(),
              HasSubstr("'no-such-program-here' is not installed"));
}

TEST(CommandTest, NothingWaitsForEver) {
  const auto start = std::chrono::steady_clock::now();
  support::TempFolder folder;
  const std::string late = (folder / "late").string();
  const auto slow = RunCommand({"sh", "-c", "(sleep 1; touch " + late + ") & sleep 60"},
                               {.limit = std::chrono::milliseconds(300)});
  EXPECT_EQ(slow.error().code(), base::ErrorCode::kUnavailable);
  // A grandchild that keeps the output open is not waited for.
  EXPECT_EQ(RunCommand({"sh", "-c", "sleep 20 & echo started"}).value().out, "started\n");
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  std::this_thread::sleep_until(start + std::chrono::milliseconds(1500));
  EXPECT_FALSE(fs::exists(late)) << "its children end with it";
}

TEST(CommandTest, AnEndThatNobodyToldIsNoSuccess) {
  (void)signal(SIGCHLD, SIG_IGN);
  const auto result = RunCommand({"sh", "-c", "exit 3"});
  (void)signal(SIGCHLD, SIG_DFL);
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().Describe(), HasSubstr("cannot tell how sh ended"));
}

TEST(CommandTest, MuchOutputIsReadAndCut) {
  const auto result = RunCommand({"head", "-c", "3000000", "/dev/zero"}).value();
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.out.size(), 1 << 20);
}

TEST(LabNamesTest, NoLabsNamesMeetAnothers) {
  EXPECT_EQ(NamespaceName("quad", "h0"), "rk-quad.h0");
  EXPECT_FALSE(NamespaceName("a-b", "c").starts_with(NamespacePrefix("a")));
  EXPECT_NE(NamespaceName("a", "b-c"), NamespaceName("a-b", "c"));
  EXPECT_FALSE(CgroupName("quad2", "h0").starts_with(CgroupPrefix("quad")));
  EXPECT_LE(SwitchName(std::string(core::kLongestLabName, 'x')).size(), 15) << "IFNAMSIZ";
}

TEST(LabShapingTest, RateIsDilatedBytesAreNot) {
  const Shaping real = ShapingFor(1e9, 1);
  const Shaping slow = ShapingFor(1e9, 5);
  EXPECT_EQ(real.rate_bit_s, 1e9);
  EXPECT_EQ(slow.rate_bit_s, 2e8);
  EXPECT_EQ(slow.burst_bytes, real.burst_bytes);
  EXPECT_EQ(slow.limit_bytes, real.limit_bytes);
  EXPECT_GT(ShapingFor(10e9, 1).burst_bytes, real.burst_bytes);
  EXPECT_GE(ShapingFor(64e3, 1).burst_bytes, 3 * 1514) << "a few packets must fit";
}

TEST(LabShapingTest, PiecesFitIntoEveryBurst) {
  core::Lab lab{"q", 1, {{"a", 1, 0, 10e9}, {"b", 1, 0, 1e9}, {"c", 1, 0, 0}}};
  EXPECT_EQ(LargestPiece(lab), ShapingFor(1e9, 1).burst_bytes / 2);
  lab.dilation = 10;
  EXPECT_EQ(LargestPiece(lab), ShapingFor(1e9, 1).burst_bytes / 2) << "bytes are not dilated";
  lab.hosts = {{"c", 1, 0, 0}};
  EXPECT_EQ(LargestPiece(lab), 65'536);
  lab.hosts = {{"slow", 1, 0, 64e3}};
  EXPECT_GE(LargestPiece(lab), 2 * 1514);
}

TEST(LabSubnetTest, AvoidsRoutesAndOtherLabs) {
  const std::string header =
      "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n";
  const std::string first = FreeSubnet("quad", header, {}).value();
  EXPECT_THAT(first, ::testing::StartsWith("10."));
  EXPECT_NE(FreeSubnet("quad", header, {first}).value(), first);
  EXPECT_EQ(FreeSubnet("quad", header + "eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\n", {})
                .value(),
            first)
      << "a default route takes nothing";
  // 10.0.0.0/9 leaves the upper half.
  const std::string half = header + "tun0\t0000000A\t00000000\t0001\t0\t0\t0\t000080FF\t0\t0\t0\n";
  const std::string upper = FreeSubnet("quad", half, {}).value();
  EXPECT_GE(std::stoi(upper.substr(3)), 128) << upper;
  const std::string all = header + "tun0\t0000000A\t00000000\t0001\t0\t0\t0\t000000FF\t0\t0\t0\n";
  EXPECT_EQ(FreeSubnet("quad", all, {}).value(), "198.18.0");
  const std::string both = all + "tun1\t000012C6\t00000000\t0001\t0\t0\t0\t0000FEFF\t0\t0\t0\n";
  EXPECT_EQ(FreeSubnet("quad", both, {}).error().code(), base::ErrorCode::kUnavailable);
}

TEST(LabQuotaTest, TurnsAreEquallyLongAtAnyShareAndDilation) {
  const auto expect = [](double cpus, double dilation, int64_t quota_us, int64_t period_us) {
    const Quota quota = QuotaFor(cpus, dilation);
    EXPECT_EQ(quota.quota_us, quota_us) << cpus << " of " << dilation;
    EXPECT_EQ(quota.period_us, period_us) << cpus << " of " << dilation;
  };
  expect(1, 1, 4'000, 4'000);
  expect(0.7, 1, 4'000, 5'714);
  expect(1, 5, 4'000, 20'000);
  expect(0.7, 5, 4'000, 28'571);
  expect(2.5, 5, 10'000, 20'000);     // a turn for each core
  expect(1, 1000, 1'000, 1'000'000);  // the longest period there is
}

// A folder that looks like version 2 to whoever writes into it; control files are plain ones.
class FakeCgroups : public ::testing::Test {
 protected:
  void MakeV2(const std::string& controllers) {
    std::ofstream(folder_ / "cgroup.controllers") << controllers << "\n";
    std::ofstream(folder_ / "cgroup.subtree_control");
  }
  // The kernel fills a new group with control files; here that is done before.
  void Prepare(const std::string& group, const std::vector<std::string>& files) const {
    fs::create_directories(folder_ / group);
    for (const std::string& file : files) std::ofstream(folder_ / (group + "/" + file));
  }

  support::TempFolder folder_;
};

TEST_F(FakeCgroups, Version2GetsQuotaMemoryAndControllers) {
  MakeV2("cpuset cpu io memory pids");
  Prepare("g", {"cpu.max", "cpu.weight", "memory.max", "memory.swap.max", "cgroup.procs"});
  const Cgroups groups = Cgroups::Find(folder_ / "").value();
  EXPECT_EQ(groups.version(), 2);
  ASSERT_TRUE(groups.Make("g", {1, 5, 1 << 20}).ok());
  EXPECT_EQ(Content(folder_ / "g/cpu.max"), "4000 20000");
  EXPECT_EQ(Content(folder_ / "g/cpu.weight"), "1600");
  EXPECT_EQ(Content(folder_ / "g/memory.max"), "1048576");
  EXPECT_EQ(Content(folder_ / "g/memory.swap.max"), "0");
  EXPECT_EQ(Content(folder_ / "cgroup.subtree_control"), "+cpu +memory +io");
  EXPECT_THAT(groups.FoldersOf("g"), ElementsAre((folder_ / "" / "g").string()));
  EXPECT_THAT(groups.WithPrefix("g"), ElementsAre("g"));
  EXPECT_TRUE(groups.Processes("g").empty());
  std::ofstream(folder_ / "g/cgroup.procs") << "7\n9\n";
  EXPECT_THAT(groups.Processes("g"), ElementsAre(7, 9));
}

TEST_F(FakeCgroups, LimitsThatSomebodyChangedAreNamed) {
  MakeV2("cpu memory");
  Prepare("g", {"cpu.max", "cpu.weight", "memory.max"});
  const Cgroups groups = Cgroups::Find(folder_ / "").value();
  const Limits limits{1, 5, (1 << 20) + 1};  // memory is counted in pages
  ASSERT_TRUE(groups.Make("g", limits).ok());
  EXPECT_EQ(groups.Deviation("g", limits), "");
  std::ofstream(folder_ / "g/memory.max") << "max\n";
  EXPECT_THAT(groups.Deviation("g", limits), HasSubstr("memory.max is 'max' instead of '1048576'"));
  fs::remove(folder_ / "g/cpu.max");  // with the controller
  EXPECT_THAT(groups.Deviation("g", limits), HasSubstr("g/cpu.max is gone"));
  EXPECT_THAT(groups.Deviation("other", limits), HasSubstr("other/cpu.max is gone"));
}

// A container's root is no root to the kernel: it hands controllers down only while it is empty.
TEST_F(FakeCgroups, ProcessesInAContainersRootAreInTheWay) {
  std::ofstream(folder_ / "cgroup.controllers") << "cpu memory\n";
  fs::create_directory(folder_ / "cgroup.subtree_control");  // cannot be written
  const Cgroups groups = Cgroups::Find(folder_ / "").value();
  const auto said = [&] {
    const std::string text = groups.Make("g", {}).error().Describe();
    fs::remove(folder_ / "g");
    return text;
  };
  const auto moved = HasSubstr("must be moved into a child group first");
  EXPECT_THAT(said(), ::testing::Not(moved));
  std::ofstream(folder_ / "cgroup.type") << "domain\n";
  std::ofstream(folder_ / "cgroup.procs");
  EXPECT_THAT(said(), ::testing::Not(moved));
  std::ofstream(folder_ / "cgroup.procs") << "1\n7\n";
  EXPECT_THAT(said(), moved);
}

TEST_F(FakeCgroups, MissingControllersAreNamed) {
  MakeV2("cpuset io memory");
  EXPECT_THAT(Cgroups::Find(folder_ / "").error().Describe(), HasSubstr("no controller 'cpu'"));
  support::TempFolder empty;
  EXPECT_THAT(Cgroups::Find(empty / "").error().Describe(), HasSubstr("version 1 or 2"));
}

TEST_F(FakeCgroups, Version1HasATreeForEachController) {
  for (const char* tree : {"cpu", "memory", "cpuacct", "blkio"}) Prepare(tree, {"cgroup.procs"});
  Prepare("cpu/g", {"cpu.cfs_quota_us", "cpu.cfs_period_us", "cpu.shares"});
  Prepare("memory/g", {"memory.limit_in_bytes", "memory.memsw.limit_in_bytes"});
  const Cgroups groups = Cgroups::Find(folder_ / "").value();
  EXPECT_EQ(groups.version(), 1);
  ASSERT_TRUE(groups.Make("g", {0.5, 1, 4096}).ok());
  EXPECT_EQ(Content(folder_ / "cpu/g/cpu.cfs_quota_us"), "4000");
  EXPECT_EQ(Content(folder_ / "cpu/g/cpu.cfs_period_us"), "8000");
  EXPECT_EQ(Content(folder_ / "cpu/g/cpu.shares"), "16384");
  EXPECT_EQ(Content(folder_ / "memory/g/memory.limit_in_bytes"), "4096");
  EXPECT_EQ(Content(folder_ / "memory/g/memory.memsw.limit_in_bytes"), "4096");
  EXPECT_EQ(groups.Deviation("g", {0.5, 1, 4096}), "");
  EXPECT_THAT(groups.Deviation("g", {0.7, 1, 4096}), HasSubstr("cpu.cfs_period_us is '8000'"));
  EXPECT_EQ(groups.FoldersOf("g").size(), 4);
  EXPECT_TRUE(fs::exists(folder_ / "cpuacct/g"));
  EXPECT_TRUE(fs::exists(folder_ / "blkio/g"));
  EXPECT_THAT(groups.Make("other", {}).error().Describe(), HasSubstr("cpu.cfs_period_us"));
}

TEST_F(FakeCgroups, KillEndsProcessesAndSaysWhichDoNotEnd) {
  MakeV2("cpu memory");
  Prepare("g", {"cgroup.procs"});
  const Cgroups groups = Cgroups::Find(folder_ / "").value();
  EXPECT_EQ(groups.Kill("g").value(), 0);
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  std::ofstream(folder_ / "g/cgroup.procs") << child << "\n";
  // The kernel takes an ended process off the list; here this thread does.
  std::jthread kernel([&] {
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(child), &info, WEXITED);
    std::ofstream(folder_ / "g/cgroup.procs", std::ios::trunc);
  });
  EXPECT_EQ(groups.Kill("g").value(), 1);
}

// Ranks have cgroups of their own below their host's.
TEST_F(FakeCgroups, ProcessesBelowAGroupAreItsOwn) {
  MakeV2("cpu memory");
  Prepare("g", {"cgroup.procs"});
  Prepare("g/reckon-rank-1", {"cgroup.procs"});
  Prepare("g/reckon-rank-2/below", {"cgroup.procs"});
  const Cgroups groups = Cgroups::Find(folder_ / "").value();
  std::ofstream(folder_ / "g/cgroup.procs") << "7\n";
  std::ofstream(folder_ / "g/reckon-rank-1/cgroup.procs") << "9\n";
  const pid_t child = fork();
  if (child == 0) {
    for (;;) pause();
  }
  const fs::path below = folder_ / "g/reckon-rank-2/below/cgroup.procs";
  std::ofstream(below) << child << "\n";
  EXPECT_THAT(groups.Processes("g"), ::testing::UnorderedElementsAre(7, 9, child));
  std::ofstream(folder_ / "g/cgroup.procs", std::ios::trunc);
  std::ofstream(folder_ / "g/reckon-rank-1/cgroup.procs", std::ios::trunc);
  std::jthread kernel([&] {
    siginfo_t info{};
    waitid(P_PID, static_cast<id_t>(child), &info, WEXITED);
    std::ofstream(below, std::ios::trunc);
  });
  EXPECT_EQ(groups.Kill("g").value(), 1);
  kill(child, SIGKILL);  // also when it was not found
}

// One that another user must not kill is an error at once, not after the time limit.
TEST_F(FakeCgroups, WhatMayNotBeKilledIsSaidAtOnce) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to be somebody else";
  MakeV2("cpu memory");
  Prepare("g", {"cgroup.procs"});
  const Cgroups groups = Cgroups::Find(folder_ / "").value();
  std::ofstream(folder_ / "g/cgroup.procs") << getpid() << "\n";
  fs::permissions(folder_.path(), fs::perms::all);
  const pid_t other = fork();
  if (other == 0) {
    if (setresuid(65534, 65534, 65534) != 0) _exit(2);
    const auto start = std::chrono::steady_clock::now();
    const auto killed = groups.Kill("g");
    const bool quick = std::chrono::steady_clock::now() - start < std::chrono::seconds(5);
    const bool named = !killed.ok() && killed.error().Describe().find("cannot kill process") == 0;
    _exit(quick && named ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(other, &status, 0), other);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

// The kernel removes a group with its control files; plain files would be in the way, so here the
// groups have none.
TEST_F(FakeCgroups, RemoveTakesEmptyGroupsBelowFirst) {
  MakeV2("cpu memory");
  Prepare("g/reckon-rank-1", {});
  Prepare("g/reckon-rank-2/below", {});
  Prepare("other/reckon-rank-1", {});
  const Cgroups groups = Cgroups::Find(folder_ / "").value();
  const auto removed = groups.Remove("g");
  EXPECT_TRUE(removed.ok()) << removed.error().Describe();
  EXPECT_FALSE(fs::exists(folder_ / "g"));
  EXPECT_TRUE(fs::exists(folder_ / "other/reckon-rank-1"));
  EXPECT_TRUE(groups.Remove("g").ok()) << "nothing to do";
  // What cannot be removed is named, not its parent.
  Prepare("g/reckon-rank-1", {"file"});
  EXPECT_THAT(groups.Remove("g").error().Describe(), HasSubstr("g/reckon-rank-1: "));
}

TEST(LabRecordTest, ComesBackAndDamageIsNamed) {
  support::TempFolder folder;
  const core::Lab lab{"quad", 5, {{"h0", 1, 1 << 30, 1e9}, {"h1", 0.7, 0, 0}}};
  const LabRecord record{
      lab, "10.1.2", {{"h0", "10.1.2.2", "/n/0", {"/c/0"}}, {"h1", "10.1.2.3", "/n/1", {}}}, false};
  ASSERT_TRUE(WriteRecord(folder / "", record).ok());
  const LabRecord back = ReadRecord(folder / "", "quad").value();
  EXPECT_EQ(back.lab, lab);
  EXPECT_EQ(back.subnet, "10.1.2");
  EXPECT_FALSE(back.finished);
  EXPECT_EQ(back.places[1].address, "10.1.2.3");
  EXPECT_THAT(back.places[0].cgroups, ElementsAre("/c/0"));
  EXPECT_THAT(RecordedLabs(folder / ""), ElementsAre("quad"));

  LabSystem system{folder / "", folder / "none"};
  EXPECT_EQ(LabStatus("other", system).error().code(), base::ErrorCode::kNotFound);
  EXPECT_EQ(LabStatus("../quad", system).error().code(), base::ErrorCode::kBadInput);
  EXPECT_THAT(KillHost("quad", "h2", system).error().Describe(), HasSubstr("has no host 'h2'"));

  std::ofstream(folder / "quad.json") << "{\"version\": 2}";
  EXPECT_EQ(ReadRecord(folder / "", "quad").error().code(), base::ErrorCode::kCorrupt);
  std::ofstream(folder / "quad.json") << "{\"version\": 99}";
  EXPECT_THAT(ReadRecord(folder / "", "quad").error().Describe(), HasSubstr("lab down quad"));
  ASSERT_TRUE(RemoveRecord(folder / "", "quad").ok());
  EXPECT_EQ(ReadRecord(folder / "", "quad").error().code(), base::ErrorCode::kNotFound);
}

TEST(LabLockTest, IsHeldByOneAndByWhoInheritedIt) {
  support::TempFolder folder;
  std::jthread waiting;
  std::atomic<bool> taken = false;
  {
    const LabLock lock = LabLock::Take(folder / "").value();
    // A program that outlives the lock's owner keeps it: here a shell's background job.
    const auto said =
        RunCommand({"sh", "-c", "sleep 0.4 & echo on"}, {.inherit = lock.descriptor()});
    ASSERT_TRUE(said.ok());
    waiting = std::jthread([&] { taken = LabLock::Take(folder / "").ok(); });
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    EXPECT_FALSE(taken);
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_FALSE(taken) << "the background job still holds it";
  waiting.join();
  EXPECT_TRUE(taken);
}

}  // namespace
}  // namespace reckon::act
