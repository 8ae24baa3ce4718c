// StartSupervisor of run_folder.h: a process that nobody waits for.
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "act/local/run_folder.h"
#include "base/file.h"
#include "base/system_error.h"
#include "base/text.h"

namespace reckon::act {
namespace {

using base::Error;
using base::ErrorCode;
using std::chrono::milliseconds;

constexpr milliseconds kStartLimit{20'000};

struct Birth {
  pid_t pid = 0;
  int error = 0;  // of exec or what came before it; 0: none
};

// Between fork and exec of a program with threads: system calls only. Never returns.
[[noreturn]] void BecomeSupervisor(const char* const* argv, const char* log, int report) {
  Birth birth{getpid(), 0};
  (void)!write(report, &birth, sizeof birth);
  const int null = open("/dev/null", O_RDONLY);
  const int out = open(log, O_WRONLY | O_APPEND | O_CREAT, 0644);
  if (null >= 0 && out >= 0 && dup2(null, STDIN_FILENO) >= 0 && dup2(out, STDOUT_FILENO) >= 0 &&
      dup2(out, STDERR_FILENO) >= 0) {
    // All that this process had open ends with exec; the report tells that exec has worked.
    (void)close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execv(argv[0], const_cast<char* const*>(argv));
  }
  birth.error = errno;
  (void)!write(report, &birth, sizeof birth);
  _exit(127);
}

// What the newborn told: its number, and its error if it had one.
Birth ReadBirth(int report) {
  Birth birth;
  Birth told;
  while (read(report, &told, sizeof told) == static_cast<ssize_t>(sizeof told)) birth = told;
  return birth;
}

bool HasHeldLock(const RunFolder& folder, pid_t pid) {
  const base::Result<std::string> text = base::ReadFile(folder.lock());
  return text.ok() && *text == std::to_string(pid) + "\n";
}

base::Status AwaitLock(const RunFolder& folder, pid_t pid) {
  const auto handle = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  const auto deadline = std::chrono::steady_clock::now() + kStartLimit;
  bool lives = handle >= 0;
  bool holds = HasHeldLock(folder, pid);
  while (lives && !holds && std::chrono::steady_clock::now() < deadline) {
    pollfd wait{handle, POLLIN, 0};
    lives = poll(&wait, 1, 5) <= 0;
    holds = HasHeldLock(folder, pid);
  }
  if (lives && !holds) (void)syscall(SYS_pidfd_send_signal, handle, SIGKILL, nullptr, 0);
  if (handle >= 0) close(handle);
  if (holds) return {};
  if (lives) {
    return Error(ErrorCode::kFailed,
                 fmt::format("the supervisor did not take {} within {} s", folder.lock().string(),
                             kStartLimit.count() / 1000));
  }
  const std::string last = LastLines(folder.supervisor_log(), 1);
  return Error(ErrorCode::kFailed,
               "the supervisor ended at once" + (last.empty() ? "" : ": " + last));
}

}  // namespace

base::Status StartSupervisor(const std::filesystem::path& program, const RunFolder& folder) {
  RECKON_ASSIGN(const bool supervised, SupervisorLives(folder));
  if (supervised) {
    return Error(ErrorCode::kUnavailable,
                 fmt::format("{} has a supervisor already", folder.path.string()));
  }
  const std::string path = folder.path.string();
  const std::string log = folder.supervisor_log().string();
  const std::array<const char*, 3> argv{program.c_str(), path.c_str(), nullptr};
  std::array<int, 2> report{};
  if (pipe2(report.data(), O_CLOEXEC) != 0) return base::SystemError("pipe");
  const pid_t between = fork();
  if (between == 0) {
    // The one in between ends at once, so that the supervisor is nobody's child and this program
    // owes it no wait.
    setsid();
    const pid_t child = fork();
    if (child == 0) BecomeSupervisor(argv.data(), log.c_str(), report[1]);
    _exit(child < 0 ? 1 : 0);
  }
  const int fork_error = errno;
  close(report[1]);
  if (between > 0) {
    while (waitpid(between, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  const Birth birth = ReadBirth(report[0]);
  close(report[0]);
  if (birth.pid == 0 || birth.error != 0) {
    const int code = birth.error != 0 ? birth.error : fork_error;
    return Error(ErrorCode::kFailed,
                 fmt::format("cannot start {}: {}", program.string(), base::SystemMessage(code)));
  }
  return AwaitLock(folder, birth.pid);
}

}  // namespace reckon::act
