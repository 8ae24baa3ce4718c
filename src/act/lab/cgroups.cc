#include "act/lab/cgroups.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <fstream>
#include <set>
#include <thread>

#include <fmt/format.h>
#include <unistd.h>

#include "act/pinned_process.h"
#include "base/file.h"
#include "base/system_error.h"
#include "base/text.h"

namespace reckon::act {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;

Status MakeFolder(const fs::path& folder) {
  std::error_code code;
  fs::create_directory(folder, code);
  if (!code) return {};
  return Error(ErrorCode::kIo,
               fmt::format("cannot make cgroup {}: {}", folder.string(), code.message()));
}

std::string ReadLine(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

// A group's folder and those of the groups below it, each after its children. What goes meanwhile
// is left out.
std::vector<fs::path> BottomUp(const fs::path& folder) {
  std::vector<fs::path> folders;
  std::error_code code;
  fs::directory_iterator entry(folder, code);
  for (; !code && entry != fs::directory_iterator(); entry.increment(code)) {
    std::error_code ignored;
    if (!entry->is_directory(ignored) || entry->is_symlink(ignored)) continue;
    const std::vector<fs::path> below = BottomUp(entry->path());
    folders.insert(folders.end(), below.begin(), below.end());
  }
  folders.push_back(folder);
  return folders;
}

// Of groups without processes; kUnavailable while the kernel still sees some.
Status RemoveTree(const fs::path& folder) {
  for (const fs::path& group : BottomUp(folder)) {
    if (rmdir(group.c_str()) == 0 || errno == ENOENT) continue;
    const int code = errno;
    const std::string what = "cannot remove cgroup " + group.string();
    if (code != EBUSY) return base::SystemError(what, code);
    return Error(ErrorCode::kUnavailable, what + ": " + base::SystemMessage(code));
  }
  return {};
}

// A host's share shall hold against whatever else runs on the machine, and the quota bounds it: so
// it weighs 16 times as much as an ordinary process.
constexpr const char* kWeightV1 = "16384";  // of 1024
constexpr const char* kWeightV2 = "1600";   // of 100

}  // namespace

Quota QuotaFor(double cpus, double dilation) {
  constexpr double kTurnUs = 4'000;  // a tick of the usual kernel, which cannot stop anyone earlier
  constexpr double kLongestPeriodUs = 1'000'000;
  constexpr int64_t kLeastQuotaUs = 1'000;
  const double cores = cpus / dilation;
  const double period =
      std::min(std::round(kTurnUs * std::max(cpus, 1.0) / cores), kLongestPeriodUs);
  return {std::max<int64_t>(std::llround(period * cores), kLeastQuotaUs), std::llround(period)};
}

Result<Cgroups> Cgroups::Find(const fs::path& root) {
  std::error_code ignored;
  if (fs::exists(root / "cgroup.controllers", ignored)) {
    const std::string line = ReadLine(root / "cgroup.controllers");
    const std::vector<std::string_view> controllers = base::Split(line, ' ');
    for (const char* needed : {"cpu", "memory"}) {
      if (std::find(controllers.begin(), controllers.end(), needed) == controllers.end()) {
        return Error(ErrorCode::kUnavailable,
                     fmt::format("{}: no controller '{}' (found: {})",
                                 (root / "cgroup.controllers").string(), needed, line));
      }
    }
    return Cgroups(2, root, {root});
  }
  if (fs::exists(root / "cpu/cpu.cfs_quota_us", ignored) ||
      fs::exists(root / "cpu/cgroup.procs", ignored)) {
    if (!fs::exists(root / "memory/cgroup.procs", ignored)) {
      return Error(ErrorCode::kUnavailable,
                   fmt::format("{}: no controller 'memory'", root.string()));
    }
    std::vector<fs::path> trees{root / "cpu", root / "memory"};
    // They count the CPU time of a host, where that is a tree of its own, and its disk's bytes.
    for (const char* counts : {"cpuacct", "blkio"}) {
      const fs::path tree = root / counts;
      if (fs::exists(tree / "cgroup.procs", ignored) &&
          !fs::equivalent(tree, root / "cpu", ignored)) {
        trees.push_back(tree);
      }
    }
    return Cgroups(1, root, std::move(trees));
  }
  return Error(
      ErrorCode::kUnavailable,
      fmt::format("no cgroups in {}: expected version 1 or 2 with cpu and memory", root.string()));
}

std::vector<std::string> Cgroups::FoldersOf(const std::string& name) const {
  std::vector<std::string> folders;
  for (const fs::path& tree : trees_) folders.push_back((tree / name).string());
  return folders;
}

Status Cgroups::Make(const std::string& name, const Limits& limits) const {
  for (const std::string& folder : FoldersOf(name)) RECKON_TRY(MakeFolder(folder));
  if (version_ == 2) RECKON_TRY(HandDownControllers());
  for (const Setting& setting : SettingsFor(name, limits)) {
    std::error_code ignored;
    if (setting.optional && !fs::exists(setting.file, ignored)) continue;
    RECKON_TRY(base::WriteControl(setting.file, setting.value));
  }
  return {};
}

std::string Cgroups::Deviation(const std::string& name, const Limits& limits) const {
  for (const Setting& setting : SettingsFor(name, limits)) {
    std::error_code ignored;
    const bool there = fs::exists(setting.file, ignored);
    if (!there && setting.optional) continue;
    if (!there) return setting.file.string() + " is gone";
    const std::string found = ReadLine(setting.file);
    if (found == setting.value) continue;
    return fmt::format("{} is '{}' instead of '{}'", setting.file.string(), found, setting.value);
  }
  return "";
}

// In the order in which they are written: a limit with swap may not be below the one without.
std::vector<Cgroups::Setting> Cgroups::SettingsFor(const std::string& name,
                                                   const Limits& limits) const {
  const Quota quota = QuotaFor(limits.cpus, limits.dilation);
  const fs::path cpu = fs::path(trees_[0]) / name;
  const fs::path memory = version_ == 1 ? root_ / "memory" / name : cpu;
  std::vector<Setting> settings;
  if (version_ == 1) {
    settings = {{cpu / "cpu.cfs_period_us", std::to_string(quota.period_us)},
                {cpu / "cpu.cfs_quota_us", std::to_string(quota.quota_us)},
                {cpu / "cpu.shares", kWeightV1}};
  } else {
    settings = {{cpu / "cpu.max", fmt::format("{} {}", quota.quota_us, quota.period_us)},
                {cpu / "cpu.weight", kWeightV2}};
  }
  if (limits.memory_bytes == 0) return settings;
  // The kernel counts pages.
  const auto page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  const std::string bytes =
      std::to_string(std::max(limits.memory_bytes / page, uint64_t{1}) * page);
  if (version_ == 1) {
    settings.push_back({memory / "memory.limit_in_bytes", bytes});
    settings.push_back({memory / "memory.memsw.limit_in_bytes", bytes, true});
  } else {
    settings.push_back({memory / "memory.max", bytes});
    settings.push_back({memory / "memory.swap.max", "0", true});
  }
  return settings;
}

// Asking again for what is handed down already is fine. `down` does not take it back: by then
// others may rely on it, and their limits would go without a word.
Status Cgroups::HandDownControllers() const {
  // The last one only counts, and not every machine has it.
  const std::string line = ReadLine(root_ / "cgroup.controllers");
  const std::vector<std::string_view> has = base::Split(line, ' ');
  const bool io = std::find(has.begin(), has.end(), "io") != has.end();
  Status written = base::WriteControl(root_ / "cgroup.subtree_control",
                                      io ? "+cpu +memory +io" : "+cpu +memory");
  std::error_code ignored;
  // Only a group that is not the machine's root has a type, and only such a one must be empty.
  if (written.ok() || !fs::exists(root_ / "cgroup.type", ignored)) return written;
  if (ReadLine(root_ / "cgroup.procs").empty()) return written;
  return std::move(written).error().Wrap(fmt::format(
      "{0} is a container's group and has processes of its own; they must be moved into a child "
      "group first (make {0}/init and write each of their numbers to its cgroup.procs)",
      root_.string()));
}

std::vector<std::string> Cgroups::WithPrefix(const std::string& prefix) const {
  std::set<std::string> names;
  for (const fs::path& tree : trees_) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(tree, ignored)) {
      const std::string name = entry.path().filename().string();
      if (name.starts_with(prefix)) names.insert(name);
    }
  }
  return {names.begin(), names.end()};
}

std::vector<int> Cgroups::Processes(const std::string& name) const {
  std::set<int> processes;
  for (const std::string& folder : FoldersOf(name)) {
    // From the top, as ranks go: so nobody is missed on the way from one group into the next.
    const std::vector<fs::path> all = BottomUp(folder);
    for (auto group = all.rbegin(); group != all.rend(); ++group) {
      std::ifstream file(*group / "cgroup.procs");
      int process = 0;
      while (file >> process) processes.insert(process);
    }
  }
  return {processes.begin(), processes.end()};
}

Status Cgroups::KillOnce(const std::string& name, const std::vector<int>& processes) const {
  // All at once and exactly, where the kernel can (5.14); it would take us too.
  if (version_ == 2 && std::find(processes.begin(), processes.end(), getpid()) == processes.end()) {
    if (base::WriteControl(root_ / name / "cgroup.kill", "1").ok()) return {};
  }
  constexpr size_t kMost = 500;  // descriptors at a time; the others' turn comes
  std::vector<PinnedProcess> pinned;
  for (const int process : processes) {
    // 0 is a process of a namespace we do not see.
    if (process <= 1 || process == getpid() || pinned.size() == kMost) continue;
    pinned.emplace_back(process);
  }
  const std::vector<int> still = Processes(name);
  for (const PinnedProcess& process : pinned) {
    if (std::binary_search(still.begin(), still.end(), process.pid())) RECKON_TRY(process.Kill());
  }
  return {};
}

Result<int> Cgroups::Kill(const std::string& name) const {
  std::set<int> killed;
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  for (;;) {
    const std::vector<int> processes = Processes(name);
    if (processes.empty()) return static_cast<int>(killed.size());
    killed.insert(processes.begin(), processes.end());
    RECKON_TRY(KillOnce(name, processes));
    if (std::chrono::steady_clock::now() > limit) {
      return Error(ErrorCode::kUnavailable,
                   fmt::format("process {} in cgroup {} does not end", processes.front(), name));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

Status Cgroups::Remove(const std::string& name) const {
  // Whoever dies needs a little of the processor for it, and many of them on a host that stands
  // still most of the time would take minutes.
  const fs::path quota = trees_.front() / name / (version_ == 2 ? "cpu.max" : "cpu.cfs_quota_us");
  std::error_code ignored;
  if (fs::exists(quota, ignored)) {
    RECKON_TRY(base::WriteControl(quota, version_ == 2 ? "max" : "-1"));
  }
  // A process that has just ended still counts for a moment, and a run starts others until there is
  // no group to join.
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  for (;;) {
    RECKON_TRY(Kill(name));
    Status removed;
    for (const std::string& folder : FoldersOf(name)) {
      removed = RemoveTree(folder);
      if (!removed.ok()) break;
    }
    if (removed.ok() || removed.error().code() != ErrorCode::kUnavailable ||
        std::chrono::steady_clock::now() > limit) {
      return removed;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

}  // namespace reckon::act
