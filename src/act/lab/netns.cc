#include "act/lab/netns.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"

namespace reckon::act {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;
using base::Status;

constexpr const char* kFolder = "/run/netns";

Error Refused(const std::string& what) {
  return {ErrorCode::kIo, fmt::format("cannot {}: {}", what, std::strerror(errno))};
}

Status WriteSetting(const std::string& file, const std::string& value) {
  const int descriptor = open(file.c_str(), O_WRONLY | O_CLOEXEC);
  if (descriptor < 0) return Refused("open " + file);
  Status status;
  if (write(descriptor, value.data(), value.size()) != static_cast<ssize_t>(value.size())) {
    status = Refused(fmt::format("write '{}' to {}", value, file));
  }
  close(descriptor);
  return status;
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
    struct stat found {};
    if (!id || *id == getpid() || stat((entry.path() / "ns/net").c_str(), &found) != 0) continue;
    if (found.st_ino == wanted.st_ino && found.st_dev == wanted.st_dev) {
      processes.push_back(static_cast<int>(*id));
    }
  }
  return processes;
}

Status KillInNamespace(const std::string& name) {
  const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  for (;;) {
    const std::vector<int> processes = ProcessesInNamespace(name);
    if (processes.empty()) return {};
    for (const int process : processes) kill(process, SIGKILL);
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
    return Refused("remove network namespace " + path);
  }
  return {};
}

Status InNamespace(const std::string& name, const std::function<Status()>& work) {
  Status status;
  // A thread of its own, since setns moves the calling thread.
  std::jthread([&] {
    const std::string path = NamespacePath(name);
    const int space = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (space < 0 || setns(space, CLONE_NEWNET) != 0) {
      status = Refused("enter network namespace " + path);
    } else {
      status = work();
    }
    if (space >= 0) close(space);
  }).join();
  return status;
}

Status SetInNamespace(const std::string& name, const std::string& setting,
                      const std::string& value) {
  // /proc/sys/net follows the thread.
  return InNamespace(name, [&] { return WriteSetting("/proc/sys/net/" + setting, value); });
}

}  // namespace reckon::act
