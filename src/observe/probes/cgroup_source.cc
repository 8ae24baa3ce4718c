#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "observe/probes/kept_file.h"
#include "observe/probes/usage_source.h"
#include "observe/probes/whole_disks.h"

namespace reckon::observe {
namespace {

namespace fs = std::filesystem;
using base::Result;
using base::Status;

Result<uint64_t> ReadField(KeptFile& file, std::string_view key) {
  RECKON_ASSIGN(const std::string_view text, file.Read());
  if (const auto count = CountOf(text, key)) return *count;
  return file.Complain(fmt::format("expected '{}' and a count", key));
}

// CPU time: a count of nanoseconds (version 1), or a field of microseconds (2).
class CgroupCpu {
 public:
  static std::optional<CgroupCpu> Find(const fs::path& folder) {
    auto usage = KeptFile::Open(folder / "cpuacct.usage");
    if (usage.ok()) return CgroupCpu(*std::move(usage), 1);
    auto stat = KeptFile::Open(folder / "cpu.stat");
    // In version 1 this file tells of throttling only.
    if (stat.ok() && ReadField(*stat, "usage_usec").ok()) return CgroupCpu(*std::move(stat), 2);
    return std::nullopt;
  }

  Result<double> Seconds() {
    if (version_ == 1) {
      RECKON_ASSIGN(const uint64_t nanoseconds, file_.ReadCount());
      return static_cast<double>(nanoseconds) * 1e-9;
    }
    RECKON_ASSIGN(const uint64_t microseconds, ReadField(file_, "usage_usec"));
    return static_cast<double>(microseconds) * 1e-6;
  }

 private:
  CgroupCpu(KeptFile file, int version) : file_(std::move(file)), version_(version) {}
  KeptFile file_;
  int version_;
};

// What is charged, less the cache of files that nobody has used for a while.
class CgroupMemory {
 public:
  static std::optional<CgroupMemory> Find(const fs::path& folder) {
    auto stat = KeptFile::Open(folder / "memory.stat");
    if (!stat.ok()) return std::nullopt;
    auto usage = KeptFile::Open(folder / "memory.usage_in_bytes");
    // In version 1 only the totals have the groups below in them.
    if (usage.ok()) {
      return CgroupMemory(*std::move(usage), *std::move(stat), "total_inactive_file");
    }
    auto current = KeptFile::Open(folder / "memory.current");
    if (!current.ok()) return std::nullopt;
    return CgroupMemory(*std::move(current), *std::move(stat), "inactive_file");
  }

  Result<uint64_t> Bytes() {
    RECKON_ASSIGN(const uint64_t charged, usage_.ReadCount());
    RECKON_ASSIGN(const uint64_t droppable, ReadField(stat_, cache_));
    return charged - std::min(charged, droppable);
  }

 private:
  CgroupMemory(KeptFile usage, KeptFile stat, const char* cache)
      : usage_(std::move(usage)), stat_(std::move(stat)), cache_(cache) {}
  KeptFile usage_;
  KeptFile stat_;
  const char* cache_;
};

struct CgroupDisk {
  static std::optional<CgroupDisk> Find(const fs::path& folder) {
    auto v2 = KeptFile::Open(folder / "io.stat");
    if (v2.ok()) return CgroupDisk{*std::move(v2), BytesOfIoStat};
    auto v1 = KeptFile::Open(folder / "blkio.throttle.io_service_bytes_recursive");
    if (v1.ok()) return CgroupDisk{*std::move(v1), BytesOfBlkio};
    return std::nullopt;
  }

  KeptFile file;
  DiskBytes (*bytes)(std::string_view, const DiskNumbers&);
};

class CgroupSource final : public UsageSource {
 public:
  CgroupSource(CgroupCpu cpu, CgroupMemory memory, std::optional<CgroupDisk> disk,
               DiskNumbers disks)
      : cpu_(std::move(cpu)),
        memory_(std::move(memory)),
        disk_(std::move(disk)),
        disks_(std::move(disks)) {}

  Status Read(NodeCounters& counters) override {
    RECKON_ASSIGN(counters.cpu_s, cpu_.Seconds());
    RECKON_ASSIGN(counters.memory_bytes, memory_.Bytes());
    if (!disk_) return {};
    RECKON_ASSIGN(const std::string_view text, disk_->file.Read());
    const DiskBytes bytes = disk_->bytes(text, disks_);
    counters.disk_read_bytes = bytes.read;
    counters.disk_written_bytes = bytes.written;
    return {};
  }

 private:
  CgroupCpu cpu_;
  CgroupMemory memory_;
  std::optional<CgroupDisk> disk_;
  DiskNumbers disks_;
};

template <typename Part>
std::optional<Part> FindIn(const std::vector<fs::path>& folders) {
  for (const fs::path& folder : folders) {
    if (auto part = Part::Find(folder)) return part;
  }
  return std::nullopt;
}

base::Error Missing(const std::vector<std::string>& folders, std::string_view what) {
  return {base::ErrorCode::kFailed,
          fmt::format("no cgroup counts {} in {}", what, base::Join(folders, ", "))};
}

}  // namespace

Result<std::unique_ptr<UsageSource>> OpenCgroupSource(const std::vector<std::string>& folders,
                                                      const fs::path& root) {
  std::vector<fs::path> places;
  for (const std::string& folder : folders) {
    places.push_back(root / fs::path(folder).relative_path());
  }
  auto cpu = FindIn<CgroupCpu>(places);
  if (!cpu) return Missing(folders, "CPU time (cpuacct.usage, or usage_usec of cpu.stat)");
  auto memory = FindIn<CgroupMemory>(places);
  if (!memory) return Missing(folders, "memory (memory.usage_in_bytes or memory.current)");
  DiskNumbers disks = WholeDisks(root);
  auto disk = disks.empty() ? std::nullopt : FindIn<CgroupDisk>(places);
  return std::unique_ptr<UsageSource>(std::make_unique<CgroupSource>(
      *std::move(cpu), *std::move(memory), std::move(disk), std::move(disks)));
}

}  // namespace reckon::observe
