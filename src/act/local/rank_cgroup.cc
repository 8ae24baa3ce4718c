#include "act/local/rank_cgroup.h"

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/file.h"
#include "base/text.h"

namespace reckon::act {
namespace {

// The cgroup of version 2 of a process, below the root of that hierarchy: "/a/b".
std::optional<std::string> UnifiedPath(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/cgroup", pid));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("0::")) return line.substr(3);
  }
  return std::nullopt;
}

std::optional<std::string> UnifiedMount() {
  std::ifstream file("/proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.find(" - cgroup2 ") == std::string::npos) continue;
    const auto fields = base::Split(line, ' ');  // id parent device root mount-point ...
    if (fields.size() > 4 && fields[3] == "/") return std::string(fields[4]);
  }
  return std::nullopt;
}

constexpr std::string_view kNamePrefix = "reckon-rank-";

std::optional<std::string> FolderOf(const Place& place, pid_t keeper) {
  const std::string name = fmt::format("{}{}", kNamePrefix, keeper);
  for (const std::string& folder : place.cgroups) {
    struct statfs status {};
    if (statfs(folder.c_str(), &status) == 0 && status.f_type == CGROUP2_SUPER_MAGIC) {
      return folder + "/" + name;
    }
  }
  const auto mount = UnifiedMount();
  const auto own = UnifiedPath(getpid());
  if (!mount || !own) return std::nullopt;
  return *mount + (*own == "/" ? "" : *own) + "/" + name;
}

void Remove(const std::string& folder) {
  // The last process may be on its way out still.
  for (int i = 0; i < 200 && rmdir(folder.c_str()) != 0 && errno == EBUSY; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

// Also of one that ended and nobody has waited for yet, which has no program any more: in
// containers it may stay for long.
bool IsGone(int64_t pid) {
  std::error_code code;
  (void)std::filesystem::read_symlink(fmt::format("/proc/{}/exe", pid), code);
  return code == std::errc::no_such_file_or_directory;
}

// What keepers left that were killed together with their supervisors. Folders with processes in
// them cannot be removed: then false.
bool RemoveAbandoned(const std::filesystem::path& parent) {
  bool all = true;
  std::error_code code;
  std::filesystem::directory_iterator entry(parent, code);
  for (; !code && entry != std::filesystem::directory_iterator(); entry.increment(code)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(kNamePrefix)) continue;
    const auto keeper = base::ParseInteger(std::string_view(name).substr(kNamePrefix.size()));
    if (keeper && IsGone(*keeper)) {
      all &= rmdir(entry->path().c_str()) == 0 || errno != EBUSY;
    }
  }
  return all;
}

}  // namespace

std::unique_ptr<RankCgroup> RankCgroup::Make(const Place& place, pid_t keeper) {
  const auto folder = FolderOf(place, keeper);
  if (!folder) return nullptr;
  (void)RemoveAbandoned(std::filesystem::path(*folder).parent_path());
  (void)rmdir(folder->c_str());  // of an earlier keeper of this number
  if (mkdir(folder->c_str(), 0755) != 0) return nullptr;
  return std::unique_ptr<RankCgroup>(new RankCgroup(*folder));
}

RankCgroup::~RankCgroup() { Remove(folder_); }

bool RankCgroup::Holds(pid_t pid) const {
  const auto path = UnifiedPath(pid);
  return path && !path->empty() && folder_.ends_with(*path) &&
         path->find(kNamePrefix) != std::string::npos;
}

void RankCgroup::Kill() const { (void)base::WriteControl(folder_ + "/cgroup.kill", "1"); }

void RemoveRankCgroup(const Place& place, pid_t keeper) {
  if (const auto folder = FolderOf(place, keeper)) Remove(*folder);
}

void RemoveAbandonedRankCgroups(const LaunchSpec& spec) {
  std::set<std::filesystem::path> parents;  // most places share one
  for (const ProcessSpec& process : spec.processes) {
    const auto folder = FolderOf(process.place, getpid());
    if (folder) parents.insert(std::filesystem::path(*folder).parent_path());
  }
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  for (const std::filesystem::path& parent : parents) {
    while (!RemoveAbandoned(parent) && std::chrono::steady_clock::now() < limit) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
}

}  // namespace reckon::act
