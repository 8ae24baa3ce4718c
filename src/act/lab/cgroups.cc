#include "act/lab/cgroups.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>
#include <set>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/text.h"

namespace reckon::act {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;
using base::Result;
using base::Status;

// Control files know one write at a time and answer with its error code.
Status WriteControl(const fs::path& file, const std::string& text) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_CLOEXEC);
  const bool written = descriptor >= 0 && write(descriptor, text.data(), text.size()) ==
                                              static_cast<ssize_t>(text.size());
  const int code = errno;
  if (descriptor >= 0) close(descriptor);
  if (written) return {};
  return Error(ErrorCode::kIo, fmt::format("cannot write '{}' to {}: {}", text, file.string(),
                                           std::strerror(code)));
}

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
    return Error(code == EBUSY ? ErrorCode::kUnavailable : ErrorCode::kIo,
                 fmt::format("cannot remove cgroup {}: {}", group.string(), std::strerror(code)));
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
    // Counts the CPU time of a host, where it is a tree of its own.
    const fs::path accounts = root / "cpuacct";
    if (fs::exists(accounts / "cgroup.procs", ignored) &&
        !fs::equivalent(accounts, root / "cpu", ignored)) {
      trees.push_back(accounts);
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
  return version_ == 1 ? MakeV1(name, limits) : MakeV2(name, limits);
}

Status Cgroups::MakeV1(const std::string& name, const Limits& limits) const {
  const Quota quota = QuotaFor(limits.cpus, limits.dilation);
  const fs::path cpu = root_ / "cpu" / name;
  RECKON_TRY(WriteControl(cpu / "cpu.cfs_period_us", std::to_string(quota.period_us)));
  RECKON_TRY(WriteControl(cpu / "cpu.cfs_quota_us", std::to_string(quota.quota_us)));
  RECKON_TRY(WriteControl(cpu / "cpu.shares", kWeightV1));
  if (limits.memory_bytes == 0) return {};
  return WriteControl(root_ / "memory" / name / "memory.limit_in_bytes",
                      std::to_string(limits.memory_bytes));
}

Status Cgroups::MakeV2(const std::string& name, const Limits& limits) const {
  // The parent hands its controllers down; asking again for what is handed down already is fine.
  RECKON_TRY(WriteControl(root_ / "cgroup.subtree_control", "+cpu +memory"));
  const Quota quota = QuotaFor(limits.cpus, limits.dilation);
  const fs::path group = root_ / name;
  RECKON_TRY(
      WriteControl(group / "cpu.max", fmt::format("{} {}", quota.quota_us, quota.period_us)));
  RECKON_TRY(WriteControl(group / "cpu.weight", kWeightV2));
  if (limits.memory_bytes == 0) return {};
  return WriteControl(group / "memory.max", std::to_string(limits.memory_bytes));
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

Result<int> Cgroups::Kill(const std::string& name) const {
  std::set<int> killed;
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  for (;;) {
    const std::vector<int> processes = Processes(name);
    if (processes.empty()) return static_cast<int>(killed.size());
    for (const int process : processes) {
      // 0 is a process of a namespace we do not see; a negative id would reach others.
      if (process <= 1 || process == getpid()) continue;
      kill(process, SIGKILL);
      killed.insert(process);
    }
    if (std::chrono::steady_clock::now() > limit) {
      return Error(ErrorCode::kUnavailable,
                   fmt::format("process {} in cgroup {} does not end", processes.front(), name));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

Status Cgroups::Remove(const std::string& name) const {
  for (const std::string& folder : FoldersOf(name)) {
    // A process that has just ended still counts for a moment.
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    for (;;) {
      Status removed = RemoveTree(folder);
      if (removed.ok()) break;
      if (removed.error().code() != ErrorCode::kUnavailable ||
          std::chrono::steady_clock::now() > limit) {
        return removed;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  return {};
}

}  // namespace reckon::act
