#include "act/local/run_folder.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/file.h"
#include "base/system_error.h"
#include "base/text.h"

namespace reckon::act {
namespace {

using base::Error;
using base::ErrorCode;
using std::chrono::milliseconds;

// Long enough for a probe's shared lock to go, and for a new holder to write its number.
constexpr milliseconds kLockPatience{1000};
constexpr milliseconds kLockPause{5};

Error LockError(const RunFolder& folder) {
  return base::SystemError("cannot use " + folder.lock().string());
}

Error NobodyLives(const RunFolder& folder) {
  return {ErrorCode::kNotFound,
          fmt::format("no supervisor runs in {}; the run is over", folder.path.string())};
}

}  // namespace

RunLock::RunLock(RunLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

RunLock::~RunLock() {
  if (descriptor_ >= 0) close(descriptor_);
}

base::Result<RunLock> RunLock::Take(const RunFolder& folder) {
  const int descriptor = open(folder.lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0) return LockError(folder);
  RunLock lock(descriptor);
  const auto deadline = std::chrono::steady_clock::now() + kLockPatience;
  while (flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK && errno != EINTR) return LockError(folder);
    if (std::chrono::steady_clock::now() >= deadline) {
      return Error(ErrorCode::kUnavailable,
                   fmt::format("{} has a supervisor already", folder.path.string()));
    }
    std::this_thread::sleep_for(kLockPause);
  }
  const std::string number = std::to_string(getpid()) + "\n";
  if (ftruncate(descriptor, 0) != 0 ||
      pwrite(descriptor, number.data(), number.size(), 0) != static_cast<ssize_t>(number.size())) {
    return LockError(folder);
  }
  return lock;
}

base::Result<bool> SupervisorLives(const RunFolder& folder) {
  const int descriptor = open(folder.lock().c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    if (errno == ENOENT) return false;
    return LockError(folder);
  }
  const bool free = flock(descriptor, LOCK_SH | LOCK_NB) == 0;
  const int code = errno;
  close(descriptor);
  if (free) return false;
  if (code == EWOULDBLOCK) return true;
  errno = code;
  return LockError(folder);
}

base::Result<pid_t> SupervisorPid(const RunFolder& folder) {
  const auto deadline = std::chrono::steady_clock::now() + kLockPatience;
  for (;;) {
    RECKON_ASSIGN(const bool lives, SupervisorLives(folder));
    if (!lives) return NobodyLives(folder);
    const base::Result<std::string> text = base::ReadFile(folder.lock());
    // Whole with its newline, or still being written.
    if (text.ok() && text->ends_with('\n')) {
      const auto number = base::ParseInteger(std::string_view(*text).substr(0, text->size() - 1));
      if (number && *number > 1) return static_cast<pid_t>(*number);
    }
    if (std::chrono::steady_clock::now() >= deadline) {
      return base::Corrupt(fmt::format("{} is held but names no process", folder.lock().string()));
    }
    std::this_thread::sleep_for(kLockPause);
  }
}

namespace {

base::Status Signal(const RunFolder& folder, int signal) {
  RECKON_ASSIGN(const pid_t pid, SupervisorPid(folder));
  const auto handle = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (handle < 0) return NobodyLives(folder);
  // Asked again after the handle is ours: a number that was used anew is not the supervisor.
  const base::Result<pid_t> again = SupervisorPid(folder);
  const bool same = again.ok() && *again == pid;
  const bool sent = same && syscall(SYS_pidfd_send_signal, handle, signal, nullptr, 0) == 0;
  const int code = errno;
  close(handle);
  if (sent) return {};
  if (!same || code == ESRCH) return NobodyLives(folder);
  return base::SystemError(fmt::format("cannot signal the supervisor, process {}", pid), code);
}

}  // namespace

base::Status RequestStop(const RunFolder& folder) { return Signal(folder, SIGTERM); }

base::Status KillSupervisor(const RunFolder& folder) { return Signal(folder, SIGKILL); }

std::string LastLines(const std::filesystem::path& path, size_t count) {
  constexpr std::streamoff kTail = 8192;
  constexpr size_t kMost = 500;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file) return "";
  const std::streamoff size = file.tellg();
  file.seekg(std::max<std::streamoff>(0, size - kTail));
  std::ostringstream text;
  text << file.rdbuf();  // does not throw when the disk fails
  std::string tail = text.str();
  std::replace(tail.begin(), tail.end(), '\r', '\n');  // progress bars
  std::vector<std::string> lines;
  for (const std::string_view line : base::Split(tail, '\n')) {
    const std::string_view words = base::Trim(line);
    if (!words.empty()) lines.emplace_back(words.substr(0, kMost));
  }
  if (lines.size() > count) lines.erase(lines.begin(), lines.end() - static_cast<int>(count));
  return base::Join(lines, " | ");
}

}  // namespace reckon::act
