#include "act/lab/netns.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <filesystem>
#include <thread>

#include <fmt/format.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "act/pinned_process.h"
#include "base/file.h"
#include "base/system_error.h"
#include "base/text.h"
#include "net/net_namespace.h"

namespace reckon::act {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;
using base::Status;

constexpr const char* kFolder = "/run/netns";

bool RunsIn(const struct stat& space, int64_t process) {
  struct stat found {};
  return stat(fmt::format("/proc/{}/ns/net", process).c_str(), &found) == 0 &&
         found.st_ino == space.st_ino && found.st_dev == space.st_dev;
}

}  // namespace

std::string NamespacePath(const std::string& name) { return fmt::format("{}/{}", kFolder, name); }

bool NamespaceExists(const std::string& name) {
  std::error_code ignored;
  return fs::exists(NamespacePath(name), ignored);
}

std::vector<std::string> NamespacesWithPrefix(const std::string& prefix) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(kFolder, ignored)) {
    std::string name = entry.path().filename().string();
    if (name.starts_with(prefix)) names.push_back(std::move(name));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<int> ProcessesInNamespace(const std::string& name) {
  std::vector<int> processes;
  struct stat wanted {};
  if (stat(NamespacePath(name).c_str(), &wanted) != 0) return processes;
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", ignored)) {
    const auto id = base::ParseInteger(entry.path().filename().string());
    if (!id || *id == getpid() || !RunsIn(wanted, *id)) continue;
    processes.push_back(static_cast<int>(*id));
  }
  return processes;
}

Status KillInNamespace(const std::string& name) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  struct stat wanted {};
  if (stat(NamespacePath(name).c_str(), &wanted) != 0) return {};
  for (;;) {
    const std::vector<int> processes = ProcessesInNamespace(name);
    if (processes.empty()) return {};
    for (const int process : processes) {
      const PinnedProcess pinned(process);
      if (RunsIn(wanted, process)) RECKON_TRY(pinned.Kill());
    }
    if (std::chrono::steady_clock::now() > limit) {
      return Error(ErrorCode::kUnavailable, fmt::format("process {} in network namespace {} does "
                                                        "not end",
                                                        processes.front(), name));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

Status RemoveNamespace(const std::string& name) {
  const std::string path = NamespacePath(name);
  // Not mounted when its maker was killed between making the file and mounting: fine.
  umount2(path.c_str(), MNT_DETACH);
  if (unlink(path.c_str()) != 0 && errno != ENOENT) {
    return base::SystemError("cannot remove network namespace " + path);
  }
  return {};
}

Status InNamespace(const std::string& name, const std::function<Status()>& work) {
  return net::InNamespace(NamespacePath(name), work);
}

Status SetInNamespace(const std::string& name, const std::string& setting,
                      const std::string& value) {
  // /proc/sys/net follows the thread.
  return InNamespace(name, [&] { return base::WriteControl("/proc/sys/net/" + setting, value); });
}

}  // namespace reckon::act
