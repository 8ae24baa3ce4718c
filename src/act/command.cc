#include "act/command.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system_error.h"
#include "base/text.h"

namespace reckon::act {
namespace {

using base::Error;
using base::ErrorCode;
using base::Result;
using Moment = std::chrono::steady_clock::time_point;

constexpr size_t kKept = 1 << 20;

class Descriptor {
 public:
  explicit Descriptor(int number = -1) : number_(number) {}
  ~Descriptor() { Close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }
  void Set(int number) {
    Close();
    number_ = number;
  }
  void Close() {
    if (number_ >= 0) close(number_);
    number_ = -1;
  }

 private:
  int number_;
};

// Services start with a short PATH that often lacks the folders of ip and tc.
std::string FindProgram(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = std::getenv("PATH");
  const std::string folders =
      fmt::format("{}:/usr/sbin:/sbin:/usr/bin:/bin", path == nullptr ? "" : path);
  for (const std::string_view folder : base::Split(folders, ':')) {
    std::string candidate = fmt::format("{}/{}", folder, name);
    if (!folder.empty() && access(candidate.c_str(), X_OK) == 0) return candidate;
  }
  return "";
}

// False: at its end.
bool Drain(int descriptor, std::string& text) {
  std::array<char, 16384> buffer{};
  const ssize_t count = read(descriptor, buffer.data(), buffer.size());
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  text.append(buffer.data(),
              std::min(static_cast<size_t>(count), kKept - std::min(kKept, text.size())));
  return count > 0;
}

// How often a request to stop is looked for.
constexpr std::chrono::milliseconds kStopLook{100};

// Reads both outputs until the program has ended; false when the limit or a request to stop came
// first. What a grandchild still holds open is not waited for.
bool Follow(int process, Descriptor& out, Descriptor& err, Moment limit,
            const std::stop_token& stop, CommandResult& result) {
  for (;;) {
    auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        limit - std::chrono::steady_clock::now());
    if (left.count() <= 0 || stop.stop_requested()) return false;
    if (stop.stop_possible()) left = std::min(left, kStopLook);
    std::array<pollfd, 3> waited{pollfd{out.get(), POLLIN, 0}, pollfd{err.get(), POLLIN, 0},
                                 pollfd{process, POLLIN, 0}};
    if (poll(waited.data(), waited.size(), static_cast<int>(left.count()) + 1) < 0) {
      if (errno != EINTR) return false;
      continue;
    }
    const bool more_out = waited[0].revents != 0;
    const bool more_err = waited[1].revents != 0;
    if (more_out && !Drain(out.get(), result.out)) out.Close();
    if (more_err && !Drain(err.get(), result.err)) err.Close();
    if (waited[2].revents != 0 && !more_out && !more_err) return true;
  }
}

// Ours with what is added, as a program is given it.
std::vector<std::string> EnvironmentWith(const std::map<std::string, std::string>& added) {
  std::vector<std::string> lines;
  for (char** line = environ; *line != nullptr; ++line) {
    const std::string_view text = *line;
    if (!added.contains(std::string(text.substr(0, text.find('='))))) lines.emplace_back(text);
  }
  for (const auto& [name, value] : added) lines.push_back(fmt::format("{}={}", name, value));
  return lines;
}

std::vector<char*> Pointers(const std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (const std::string& text : texts) pointers.push_back(const_cast<char*>(text.c_str()));
  pointers.push_back(nullptr);
  return pointers;
}

class SpawnSettings {
 public:
  SpawnSettings() {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    // Ctrl-C is for us to answer, not for a tool in the middle of its work: it gets a group of its
    // own, and the signal is blocked for the moment before it has one. It shall not inherit what we
    // ignore (SIGPIPE).
    sigset_t blocked;
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGINT);
    posix_spawnattr_setsigmask(&attributes_, &blocked);
    sigset_t usual;
    sigemptyset(&usual);
    sigaddset(&usual, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes_, &usual);
    posix_spawnattr_setpgroup(&attributes_, 0);
    posix_spawnattr_setflags(
        &attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t* actions() { return &actions_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace

bool IsInstalled(const std::string& program) { return !FindProgram(program).empty(); }

Result<CommandResult> RunCommand(const std::vector<std::string>& arguments,
                                 const CommandOptions& options) {
  RECKON_CHECK(!arguments.empty());
  const std::string program = FindProgram(arguments.front());
  if (program.empty()) {
    return Error(ErrorCode::kUnavailable,
                 fmt::format("program '{}' is not installed", arguments.front()));
  }
  std::array<int, 2> out_pipe{};
  std::array<int, 2> err_pipe{};
  if (pipe2(out_pipe.data(), O_CLOEXEC) != 0) return base::SystemError("cannot make a pipe");
  Descriptor out(out_pipe[0]);
  Descriptor out_end(out_pipe[1]);
  if (pipe2(err_pipe.data(), O_CLOEXEC) != 0) return base::SystemError("cannot make a pipe");
  Descriptor err(err_pipe[0]);
  Descriptor err_end(err_pipe[1]);

  SpawnSettings settings;
  posix_spawn_file_actions_addopen(settings.actions(), STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(settings.actions(), out_end.get(), STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(settings.actions(), err_end.get(), STDERR_FILENO);
  // A descriptor duplicated onto itself loses its close-on-exec flag, in the child alone.
  if (options.inherit >= 0) {
    posix_spawn_file_actions_adddup2(settings.actions(), options.inherit, options.inherit);
  }
  if (!options.workdir.empty()) {
    posix_spawn_file_actions_addchdir_np(settings.actions(), options.workdir.c_str());
  }
  const std::vector<std::string> environment = EnvironmentWith(options.environment);
  const Moment limit = std::chrono::steady_clock::now() + options.limit;
  pid_t pid = 0;
  const int spawned = posix_spawn(&pid, program.c_str(), settings.actions(), settings.attributes(),
                                  Pointers(arguments).data(), Pointers(environment).data());
  if (spawned != 0) return base::SystemError("cannot start " + program, spawned);
  out_end.Close();
  err_end.Close();

  const Descriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  CommandResult result;
  const bool ended =
      process.get() >= 0 && Follow(process.get(), out, err, limit, options.stop, result);
  if (!ended) kill(-pid, SIGKILL);
  int status = 0;
  pid_t waited = 0;
  do {
    waited = waitpid(pid, &status, 0);
  } while (waited < 0 && errno == EINTR);
  // Somebody else took its end, or the kernel did since SIGCHLD is ignored: it may have failed.
  if (waited < 0) {
    return base::SystemError("cannot tell how " + arguments.front() + " ended");
  }
  if (!ended && options.stop.stop_requested()) {
    return Error(ErrorCode::kInterrupted,
                 fmt::format("interrupted while '{}' ran", base::Join(arguments, " ")));
  }
  if (!ended) {
    return Error(ErrorCode::kUnavailable,
                 fmt::format("'{}' did not end within {} s", base::Join(arguments, " "),
                             std::chrono::duration<double>(options.limit).count()));
  }
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return result;
}

Result<std::string> RunChecked(const std::vector<std::string>& arguments,
                               const CommandOptions& options) {
  RECKON_ASSIGN(CommandResult result, RunCommand(arguments, options));
  if (result.exit_code == 0) return std::move(result.out);
  result.err.erase(result.err.find_last_not_of(" \n") + 1);
  const std::string& said = result.err;
  return Error(ErrorCode::kFailed,
               fmt::format("'{}' failed with code {}: {}", base::Join(arguments, " "),
                           result.exit_code, said.empty() ? "it said nothing" : said));
}

}  // namespace reckon::act
