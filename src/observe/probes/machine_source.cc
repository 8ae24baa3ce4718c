#include <utility>

#include <unistd.h>

#include "observe/probes/kept_file.h"
#include "observe/probes/usage_source.h"
#include "observe/probes/whole_disks.h"

namespace reckon::observe {
namespace {

namespace fs = std::filesystem;
using base::Result;
using base::Status;

struct MachineMemory {
  uint64_t total = 0;
  uint64_t available = 0;
};

Result<MachineMemory> ReadMachineMemory(KeptFile& meminfo) {
  RECKON_ASSIGN(const std::string_view text, meminfo.Read());
  const auto total = CountOf(text, "MemTotal");
  const auto available = CountOf(text, "MemAvailable");
  if (!total || !available || *available > *total) {
    return meminfo.Complain("expected MemTotal and MemAvailable");
  }
  return MachineMemory{*total * 1024, *available * 1024};
}

// The whole machine's CPU time as the scheduler counts it, where control groups of version 1 tell
// it. /proc/stat looks at every processor at its ticks, and groups with a quota wake up with them:
// it found a quarter too much with hosts of a lab at work. None in a container, whose root
// group is a part of the machine: the real one alone has a release agent.
std::optional<KeptFile> OpenExactUsage(const fs::path& root) {
  for (const char* tree : {"cpuacct", "cpu,cpuacct"}) {
    const fs::path folder = root / "sys/fs/cgroup" / tree;
    std::error_code ignored;
    if (!fs::exists(folder / "release_agent", ignored)) continue;
    auto usage = KeptFile::Open(folder / "cpuacct.usage");
    if (usage.ok()) return std::move(usage).value();
  }
  return std::nullopt;
}

class MachineSource final : public UsageSource {
 public:
  MachineSource(KeptFile stat, KeptFile meminfo, const fs::path& root)
      : stat_(std::move(stat)),
        meminfo_(std::move(meminfo)),
        usage_(OpenExactUsage(root)),
        disks_(WholeDisks(root)),
        tick_s_(1.0 / static_cast<double>(sysconf(_SC_CLK_TCK))) {
    auto diskstats = KeptFile::Open(root / "proc/diskstats");
    if (diskstats.ok() && !disks_.empty()) diskstats_ = *std::move(diskstats);
  }

  Status Read(NodeCounters& counters) override {
    RECKON_TRY(ReadTimes(counters));
    RECKON_ASSIGN(const MachineMemory memory, ReadMachineMemory(meminfo_));
    counters.memory_bytes = memory.total - memory.available;
    if (diskstats_) {
      RECKON_ASSIGN(const std::string_view text, diskstats_->Read());
      const DiskBytes bytes = BytesOfDiskstats(text, disks_);
      counters.disk_read_bytes = bytes.read;
      counters.disk_written_bytes = bytes.written;
    }
    return {};
  }

 private:
  Status ReadTimes(NodeCounters& counters) {
    RECKON_ASSIGN(std::string_view text, stat_.Read());
    std::string_view line = TakeLine(text);
    bool fine = TakeWord(line) == "cpu";
    const auto seconds = [&] {
      const auto ticks = TakeCount(line);
      fine = fine && ticks.has_value();
      return static_cast<double>(ticks.value_or(0)) * tick_s_;
    };
    // "user" has what guests used in it already.
    const double user = seconds();
    const double nice = seconds();
    const double system = seconds();
    seconds();  // idle
    seconds();  // waiting for disks
    const double hard = seconds();
    const double soft = seconds();
    const double steal = seconds();
    if (!fine) return stat_.Complain("expected 'cpu' and eight counts in the first line");
    counters.cpu_s = user + nice + system;
    if (usage_) {
      RECKON_ASSIGN(const uint64_t nanoseconds, usage_->ReadCount());
      counters.cpu_s = 1e-9 * static_cast<double>(nanoseconds);
    }
    counters.interrupt_s = hard + soft;
    counters.steal_s = steal;
    return {};
  }

  KeptFile stat_;
  KeptFile meminfo_;
  std::optional<KeptFile> usage_;  // none: /proc/stat has to do
  DiskNumbers disks_;
  std::optional<KeptFile> diskstats_;  // none: not told, or no disk of its own
  double tick_s_;
};

}  // namespace

Result<std::unique_ptr<UsageSource>> OpenMachineSource(const fs::path& root) {
  RECKON_ASSIGN(KeptFile stat, KeptFile::Open(root / "proc/stat"));
  RECKON_ASSIGN(KeptFile meminfo, KeptFile::Open(root / "proc/meminfo"));
  return std::unique_ptr<UsageSource>(
      std::make_unique<MachineSource>(std::move(stat), std::move(meminfo), root));
}

Result<MachineSize> SizeOfMachine(const fs::path& root) {
  MachineSize size;
  RECKON_ASSIGN(KeptFile stat, KeptFile::Open(root / "proc/stat"));
  RECKON_ASSIGN(std::string_view text, stat.Read());
  while (!text.empty()) {
    const std::string_view name = TakeLine(text).substr(0, 4);
    if (name.starts_with("cpu") && name.back() >= '0' && name.back() <= '9') ++size.cpus;
  }
  if (size.cpus == 0) return stat.Complain("expected a line for every processor");
  RECKON_ASSIGN(KeptFile meminfo, KeptFile::Open(root / "proc/meminfo"));
  RECKON_ASSIGN(const MachineMemory memory, ReadMachineMemory(meminfo));
  size.memory_bytes = memory.total;
  return size;
}

}  // namespace reckon::observe
