// What it costs to watch this machine and eight hosts as labs have them, ten times a second.
//
//   probe_overhead [SECONDS [PYTHON]]      20 and /usr/bin/python3 unless told; needs root
//
// A host is a process in cgroups and a network namespace of its own, with the end of a cable in
// it. Prints CPU time of the reader for each second of the clock, as share of a core: of
// UsageMeter; of Python with psutil, which reads the machine's counters and, since it knows no
// cgroups, the same files as we do for the hosts; and of one `cat` of all these files each time.
// One after the other, SECONDS each. Exits with 1 when ours is above 1 % of a core, with 2 when
// there are no cgroups or namespaces to be had.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "observe/probes/node_probe.h"
#include "observe/probes/usage_meter.h"

namespace {

using namespace reckon;
namespace fs = std::filesystem;

constexpr int kHosts = 8;
constexpr double kMostShare = 0.01;
constexpr const char* kPeriod = "0.1";

double CpuSeconds(int who) {
  rusage used{};
  getrusage(who, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// A process in cgroups and a network namespace of its own, as long as it lives.
class Host {
 public:
  explicit Host(int number) {
    const fs::path root = "/sys/fs/cgroup";
    version_ = fs::exists(root / "cgroup.controllers") ? 2 : 1;
    std::vector<fs::path> trees{root};
    if (version_ == 1) trees = {root / "cpuacct", root / "memory"};
    for (const fs::path& tree : trees) {
      const fs::path folder = tree / fmt::format("reckon-bench-{}-{}", getpid(), number);
      std::error_code ignored;
      fs::create_directory(folder, ignored);
      folders_.push_back(folder.string());
    }
    int told[2];
    if (pipe(told) != 0) return;
    pid_ = fork();
    if (pid_ == 0) {
      const char entered = Enter() ? 'y' : 'n';
      (void)!write(told[1], &entered, 1);
      for (;;) pause();
    }
    char entered = 'n';
    ready_ = read(told[0], &entered, 1) == 1 && entered == 'y';
    close(told[0]);
    close(told[1]);
  }
  ~Host() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    for (const std::string& folder : folders_) {
      for (int i = 0; i < 1000 && rmdir(folder.c_str()) != 0; ++i) usleep(5'000);
    }
  }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  bool ready() const { return ready_; }
  observe::NodePlace Place() const {
    return {fmt::format("/proc/{}/ns/net", pid_), folders_, 0.2, 1'000'000'000};
  }
  // What a reader without netlink reads.
  std::vector<std::string> Files() const {
    std::vector<std::string> files{fmt::format("/proc/{}/net/dev", pid_)};
    if (version_ == 1) {
      files.push_back(folders_[0] + "/cpuacct.usage");
      files.push_back(folders_[1] + "/memory.usage_in_bytes");
    } else {
      files.push_back(folders_[0] + "/cpu.stat");
      files.push_back(folders_[0] + "/memory.current");
    }
    files.push_back(folders_.back() + "/memory.stat");
    return files;
  }

 private:
  bool Enter() const {
    for (const std::string& folder : folders_) {
      if (!base::WriteControl(folder + "/cgroup.procs", std::to_string(getpid())).ok())
        return false;
    }
    return unshare(CLONE_NEWNET) == 0 &&
           system("ip link set lo up; ip link add eth0 type veth peer name eth1") == 0;
  }

  int version_ = 1;
  pid_t pid_ = -1;
  bool ready_ = false;
  std::vector<std::string> folders_;
};

double ShareOfMeter(const std::vector<std::unique_ptr<Host>>& hosts, int seconds) {
  std::vector<observe::MeteredNode> nodes;
  nodes.push_back({"machine", observe::NodeProbe::Open({}).value()});
  for (const auto& host : hosts) {
    nodes.push_back(
        {fmt::format("h{}", nodes.size()), observe::NodeProbe::Open(host->Place()).value()});
  }
  const observe::UsageMeter meter(std::move(nodes));
  const double before_s = CpuSeconds(RUSAGE_SELF);
  const double begin_s = observe::NodeClock();
  std::this_thread::sleep_for(std::chrono::seconds(seconds));
  const double end_s = observe::NodeClock();
  const double used_s = CpuSeconds(RUSAGE_SELF) - before_s;
  const auto summary = meter.Summary("machine", begin_s, end_s).value();
  std::printf("  (the machine was at %.0f %% of its cores meanwhile)\n", 100 * summary.cpu.mean);
  return used_s / (end_s - begin_s);
}

// A command that reads for so many seconds; negative when it cannot.
double ShareOfCommand(const std::string& command, int seconds) {
  const double before_s = CpuSeconds(RUSAGE_CHILDREN);
  if (system(command.c_str()) != 0) return -1;
  return (CpuSeconds(RUSAGE_CHILDREN) - before_s) / seconds;
}

std::string PythonCommand(const std::string& python, const std::string& files, int seconds) {
  // What importing takes is not reading: it is told on its own and taken off.
  return fmt::format(
      "{} -c 'import sys, time, psutil\n"
      "for i in range({}):\n"
      "  psutil.cpu_times(); psutil.virtual_memory(); psutil.disk_io_counters()\n"
      "  psutil.net_io_counters()\n"
      "  for name in sys.argv[1:]:\n"
      "    with open(name) as file: file.read()\n"
      "  time.sleep({})' {}",
      python, seconds * 10, kPeriod, files);
}

std::string CatCommand(const std::string& files, int seconds) {
  return fmt::format(
      "i=0; while [ $i -lt {} ]; do cat /proc/stat /proc/meminfo /proc/diskstats /proc/net/dev {} "
      ">/dev/null; sleep {}; i=$((i+1)); done",
      seconds * 10, files, kPeriod);
}

void Report(const char* reader, double share) {
  if (share < 0) {
    std::printf("%-28s  not there\n", reader);
  } else {
    std::printf("%-28s  %6.2f ms/s  %6.3f %% of a core\n", reader, 1000 * share, 100 * share);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const int seconds = argc > 1 ? std::max(1, std::atoi(argv[1])) : 20;
  const std::string python = argc > 2 ? argv[2] : "/usr/bin/python3";
  std::vector<std::unique_ptr<Host>> hosts;
  std::string files;
  for (int i = 0; i < kHosts; ++i) {
    hosts.push_back(std::make_unique<Host>(i));
    if (!hosts.back()->ready()) {
      std::fprintf(stderr, "probe_overhead: no cgroups or network namespaces to be had\n");
      return 2;
    }
    for (const std::string& file : hosts.back()->Files()) files += " " + file;
  }
  const double ours = ShareOfMeter(hosts, seconds);
  Report("UsageMeter", ours);
  const double import_s = ShareOfCommand(PythonCommand(python, "", 0), 1);
  const double psutil = ShareOfCommand(PythonCommand(python, files, seconds), seconds);
  Report("python3 with psutil", psutil < 0 ? psutil : psutil - import_s / seconds);
  Report("sh, cat and sleep", ShareOfCommand(CatCommand(files, seconds), seconds));
  return ours <= kMostShare ? 0 : 1;
}
