#include "observe/probes/node_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/observe/fake_root.h"

namespace reckon::observe {
namespace {

using testing::HasSubstr;

std::string OpenComplaint(const NodePlace& place, const FakeRoot& root) {
  const auto probe = NodeProbe::Open(place, root.path());
  return probe.ok() ? "opened" : probe.error().Describe();
}

TEST(NodeProbeTest, MachineFromProc) {
  FakeRoot root;
  root.WriteDisk("sda", "8:0", true);
  root.WriteDisk("nvme0n1", "259:0", true);
  root.WriteDisk("nvme0c0n1", "259:7", true);  // a way to the one above
  root.Write("sys/block/nvme0c0n1/hidden", "1\n");
  root.WriteDisk("dm-0", "253:0", false);
  root.WriteDisk("loop0", "7:0", false);
  root.Write("proc/diskstats",
             "   8       0 sda 10 11 100 12 20 21 200 22 0 0 0 0 0 0 0 0 0\n"
             "   8       1 sda1 10 11 99 12 20 21 199 22 0 0 0\n"
             " 259       0 nvme0n1 1 1 1000 1 1 1 2000 1 0 0 0\n"
             " 259       7 nvme0c0n1 1 1 1000 1 1 1 2000 1 0 0 0\n"
             " 253       0 dm-0 1 1 5555 1 1 1 5555 1 0 0 0\n"
             "   7       0 loop0 1 1 7777 1 1 1 7777 1 0 0 0\n");
  const auto probe = NodeProbe::Open({}, root.path()).value();
  EXPECT_EQ(probe->cpus(), 2);
  EXPECT_EQ(probe->memory_bytes(), 8000U * 1024);
  const NodeCounters counters = probe->Read().value();
  EXPECT_DOUBLE_EQ(counters.cpu_s, 1.5);
  EXPECT_DOUBLE_EQ(counters.interrupt_s.value(), 0.11);
  EXPECT_DOUBLE_EQ(counters.steal_s.value(), 0.07);
  EXPECT_EQ(counters.memory_bytes, 4000U * 1024);
  EXPECT_EQ(counters.disk_read_bytes.value(), 1100U * 512);
  EXPECT_EQ(counters.disk_written_bytes.value(), 2200U * 512);
  EXPECT_FALSE(counters.gpu);
  // The files stay open, and are read anew.
  root.Write("proc/stat", "cpu  200 20 30 5000 40 5 6 7 90 3\n");
  const NodeCounters later = probe->Read().value();
  EXPECT_DOUBLE_EQ(later.cpu_s, 2.5);
  EXPECT_GT(later.at_s, counters.at_s);
}

TEST(NodeProbeTest, TimeOfTheSchedulerBeforeThatOfTicks) {
  for (const std::string tree : {"cpuacct", "cpu,cpuacct"}) {
    FakeRoot root;
    root.Write("sys/fs/cgroup/" + tree + "/cpuacct.usage", "4500000000\n");
    // The group of a container is not the machine.
    EXPECT_DOUBLE_EQ(NodeProbe::Open({}, root.path()).value()->Read()->cpu_s, 1.5) << tree;
    root.Write("sys/fs/cgroup/" + tree + "/release_agent", "\n");
    EXPECT_DOUBLE_EQ(NodeProbe::Open({}, root.path()).value()->Read()->cpu_s, 4.5) << tree;
  }
}

TEST(NodeProbeTest, MachineWithoutDisksOfItsOwn) {
  FakeRoot root;
  root.WriteDisk("zram0", "253:0", false);
  root.Write("proc/diskstats", " 253       0 zram0 1 1 5555 1 1 1 5555 1 0 0 0\n");
  const NodeCounters counters = NodeProbe::Open({}, root.path()).value()->Read().value();
  EXPECT_FALSE(counters.disk_read_bytes);
  EXPECT_FALSE(counters.disk_written_bytes);
}

TEST(NodeProbeTest, JetsonTellsItsLoad) {
  for (const char* place : {"sys/devices/gpu.0/load", "sys/devices/platform/gpu.0/load",
                            "sys/class/devfreq/17000000.gpu/device/load",
                            "sys/class/devfreq/17000000.ga10b/device/load"}) {
    FakeRoot root;
    root.Write(place, "437\n");
    const auto probe = NodeProbe::Open({}, root.path()).value();
    EXPECT_DOUBLE_EQ(probe->Read()->gpu.value(), 0.437) << place;
    EXPECT_FALSE(probe->Read()->gpu_memory_bytes);  // it is the machine's
    root.Write(place, "off\n");
    EXPECT_FALSE(probe->Read()->gpu) << place;
  }
}

TEST(NodeProbeTest, CgroupsOfVersionOne) {
  FakeRoot root;
  root.WriteDisk("sda", "8:0", true);
  root.Write("sys/fs/cgroup/cpu/h0/cpu.stat", "nr_periods 7\nnr_throttled 3\nthrottled_time 9\n");
  root.Write("sys/fs/cgroup/cpuacct/h0/cpuacct.usage", "1500000000\n");
  root.Write("sys/fs/cgroup/memory/h0/memory.usage_in_bytes", "1000000\n");
  root.Write("sys/fs/cgroup/memory/h0/memory.stat",
             "inactive_file 5\nactive_file 9\ntotal_inactive_file 400000\n");
  NodePlace place;
  place.cgroups = {"/sys/fs/cgroup/cpu/h0", "/sys/fs/cgroup/memory/h0",
                   "/sys/fs/cgroup/cpuacct/h0"};
  place.cpus = 0.2;
  const auto probe = NodeProbe::Open(place, root.path()).value();
  EXPECT_EQ(probe->cpus(), 0.2);
  EXPECT_EQ(probe->memory_bytes(), 8000U * 1024);
  const NodeCounters counters = probe->Read().value();
  EXPECT_DOUBLE_EQ(counters.cpu_s, 1.5);
  EXPECT_EQ(counters.memory_bytes, 600'000U);
  EXPECT_FALSE(counters.steal_s);
  EXPECT_FALSE(counters.interrupt_s);
  EXPECT_FALSE(counters.disk_read_bytes);
  EXPECT_FALSE(counters.net_sent_bytes);  // no namespace of its own
  EXPECT_FALSE(counters.gpu);

  root.Write("sys/fs/cgroup/blkio/h0/blkio.throttle.io_service_bytes_recursive",
             "8:0 Read 4096\n8:0 Write 8192\n8:0 Sync 1\n8:0 Total 12288\n"
             "253:0 Read 4096\n253:0 Write 8192\nTotal 24576\n");
  place.cgroups.emplace_back("/sys/fs/cgroup/blkio/h0");
  const NodeCounters with_disk = NodeProbe::Open(place, root.path()).value()->Read().value();
  EXPECT_EQ(with_disk.disk_read_bytes.value(), 4096U);
  EXPECT_EQ(with_disk.disk_written_bytes.value(), 8192U);
}

TEST(NodeProbeTest, CgroupsOfVersionTwo) {
  FakeRoot root;
  root.WriteDisk("sda", "8:0", true);
  root.WriteDisk("sdb", "8:16", true);
  root.Write("sys/fs/cgroup/h0/cpu.stat", "usage_usec 2500000\nuser_usec 1\nsystem_usec 1\n");
  root.Write("sys/fs/cgroup/h0/memory.current", "1000000\n");
  root.Write("sys/fs/cgroup/h0/memory.stat", "anon 1\ninactive_file 300000\nactive_file 5\n");
  root.Write("sys/fs/cgroup/h0/io.stat",
             "8:0 rbytes=100 wbytes=200 rios=9 wios=9 dbytes=7 dios=1\n"
             "8:16 rbytes=1 wbytes=2 rios=9 wios=9 dbytes=7 dios=1\n"
             "253:0 rbytes=5555 wbytes=5555 rios=9 wios=9 dbytes=7 dios=1\n");
  NodePlace place;
  place.cgroups = {"/sys/fs/cgroup/h0"};
  place.memory_bytes = 2'000'000;
  const auto probe = NodeProbe::Open(place, root.path()).value();
  EXPECT_EQ(probe->cpus(), 2);
  EXPECT_EQ(probe->memory_bytes(), 2'000'000U);
  const NodeCounters counters = probe->Read().value();
  EXPECT_DOUBLE_EQ(counters.cpu_s, 2.5);
  EXPECT_EQ(counters.memory_bytes, 700'000U);
  EXPECT_EQ(counters.disk_read_bytes.value(), 101U);
  EXPECT_EQ(counters.disk_written_bytes.value(), 202U);
  // More cache than is charged at this moment: the two are read one after the other.
  root.Write("sys/fs/cgroup/h0/memory.current", "200000\n");
  EXPECT_EQ(probe->Read()->memory_bytes, 0U);
}

TEST(NodeProbeTest, BadFilesAreNamed) {
  {
    FakeRoot root;
    root.Remove("proc/stat");
    EXPECT_EQ(OpenComplaint({}, root),
              "cannot open " + root.file("proc/stat") + ": No such file or directory");
  }
  {
    FakeRoot root;
    root.Write("proc/stat", "cpu  1 2 3\ncpu0 1 2 3\n");
    EXPECT_EQ(OpenComplaint({}, root),
              root.file("proc/stat") + ": expected 'cpu' and eight counts in the first line");
    root.Write("proc/stat", "cpu  1 2 3 4 5 6 7 8\n");
    EXPECT_EQ(OpenComplaint({}, root),
              root.file("proc/stat") + ": expected a line for every processor");
  }
  {
    FakeRoot root;
    root.Write("proc/meminfo", "MemTotal: 8000 kB\nMemAvailableX: 5 kB\n");
    EXPECT_EQ(OpenComplaint({}, root),
              root.file("proc/meminfo") + ": expected MemTotal and MemAvailable");
  }
  FakeRoot root;
  NodePlace place;
  place.cgroups = {"/g"};
  EXPECT_THAT(OpenComplaint(place, root), HasSubstr("no cgroup counts CPU time"));
  root.Write("g/cpuacct.usage", "soon\n");
  EXPECT_THAT(OpenComplaint(place, root), HasSubstr("no cgroup counts memory"));
  root.Write("g/memory.usage_in_bytes", "5\n");
  root.Write("g/memory.stat", "total_inactive_file none\n");
  EXPECT_EQ(OpenComplaint(place, root),
            root.file("g/cpuacct.usage") + ": expected a count, found 'soon'");
  root.Write("g/cpuacct.usage", "7\n");
  EXPECT_EQ(OpenComplaint(place, root),
            root.file("g/memory.stat") + ": expected 'total_inactive_file' and a count");
  root.Write("g/memory.stat", "total_inactive_file 1\n");
  EXPECT_EQ(OpenComplaint(place, root), "opened");
  place.netns = "/no/netns";
  EXPECT_THAT(OpenComplaint(place, root), HasSubstr("cannot open the network namespace /no/netns"));
}

}  // namespace
}  // namespace reckon::observe
