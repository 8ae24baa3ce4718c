#include "observe/stress/stressor.h"

#include <array>
#include <csignal>
#include <cstdlib>
#include <string_view>
#include <thread>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system_error.h"
#include "base/text.h"
#include "observe/probes/process_tree.h"

namespace reckon::observe {
namespace {

constexpr const char* kProgram = "stress-ng";
constexpr int kNotStarted = 127;
constexpr std::chrono::milliseconds kEndLimit{2'000};
constexpr std::chrono::milliseconds kEndPause{2};

// What follows runs after a fork beside other threads, where little is allowed.

// What the guard is told the death of its parent by; one that nobody else sends.
const int kParentDied = SIGRTMIN + 1;

// So that this process gets the signal when its parent dies.
void HearOfDeath(pid_t parent, int signal) {
  prctl(PR_SET_PDEATHSIG, signal);
  if (getppid() != parent) _exit(kNotStarted);
}

[[noreturn]] void BecomeStressNg(const char* program, char* const* arguments, int output) {
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  (void)signal(SIGPIPE, SIG_DFL);
  dup2(open("/dev/null", O_RDONLY | O_CLOEXEC), STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  dup2(output, STDERR_FILENO);
  execv(program, arguments);
  _exit(kNotStarted);
}

// A worker that is paused in the very moment in which its parent dies would stay for ever: it is
// killed, and what others of the group still start too.
[[noreturn]] void EndGroup(pid_t leader) {
  constexpr timespec kPause{0, 2'000'000};
  for (int i = 0; i < 1000 && kill(-leader, SIGKILL) == 0; ++i) {
    while (waitpid(-1, nullptr, WNOHANG) > 0) {
    }
    nanosleep(&kPause, nullptr);
  }
  _exit(0);
}

// `started`: where the number of stress-ng goes.
[[noreturn]] void BecomeGuard(const char* program, char* const* arguments, int output,
                              int started) {
  setsid();
  sigset_t awaited;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, kParentDied);
  pthread_sigmask(SIG_BLOCK, &awaited, nullptr);
  const pid_t self = getpid();
  const pid_t leader = fork();
  if (leader == 0) {
    HearOfDeath(self, SIGKILL);
    setpgid(0, 0);
    BecomeStressNg(program, arguments, output);
  }
  if (leader < 0) _exit(kNotStarted);
  setpgid(leader, leader);  // whoever is first: the group may have to be killed before it did so
  if (write(started, &leader, sizeof(leader)) != sizeof(leader)) _exit(kNotStarted);
  close_range(STDERR_FILENO + 1, ~0U, 0);
  for (;;) {
    int signal = 0;
    sigwait(&awaited, &signal);
    if (signal == kParentDied) EndGroup(leader);
    int status = 0;
    if (waitpid(leader, &status, WNOHANG) == leader) {
      _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
    }
  }
}

}  // namespace

base::Result<std::string> FindStressNg() {
  const char* path = std::getenv("PATH");  // NOLINT(concurrency-mt-unsafe): nobody sets it here
  for (const std::string_view folder : base::Split(path == nullptr ? "" : path, ':')) {
    std::string program = fmt::format("{}/{}", folder, kProgram);
    if (!folder.empty() && access(program.c_str(), X_OK) == 0) return program;
  }
  return base::Error(base::ErrorCode::kFailed,
                     fmt::format("{0} is not on the PATH; Debian's package {0} has it", kProgram));
}

base::Result<std::unique_ptr<Stressor>> Stressor::Start(const std::string& program,
                                                        const std::vector<std::string>& arguments,
                                                        size_t workers) {
  const int output = memfd_create(kProgram, MFD_CLOEXEC);
  if (output < 0) return base::SystemError("memory for what stress-ng prints");
  std::vector<std::string> words{kProgram};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  std::array<int, 2> started{};
  if (pipe2(started.data(), O_CLOEXEC) != 0) {
    const base::Error error = base::SystemError("starting stress-ng");
    close(output);
    return error;
  }
  const pid_t parent = getpid();
  const pid_t guard = fork();
  if (guard == 0) {
    HearOfDeath(parent, kParentDied);
    BecomeGuard(program.c_str(), pointers.data(), output, started[1]);
  }
  pid_t leader = 0;
  close(started[1]);
  const bool known = guard > 0 && read(started[0], &leader, sizeof(leader)) == sizeof(leader);
  close(started[0]);
  if (!known) {
    const base::Error error = base::SystemError("starting stress-ng");
    close(output);
    if (guard > 0) waitpid(guard, nullptr, 0);
    return error;
  }
  return std::unique_ptr<Stressor>(new Stressor(guard, leader, output, workers));
}

Stressor::~Stressor() {
  kill(-leader_, SIGKILL);
  kill(guard_, SIGKILL);
  waitpid(guard_, nullptr, 0);
  // Who is a subreaper waits for the others here.
  for (auto left = kEndLimit; left.count() > 0;) {
    const pid_t ended = waitpid(-leader_, nullptr, WNOHANG);
    if (ended < 0) break;
    if (ended > 0) continue;
    std::this_thread::sleep_for(kEndPause);
    left -= kEndPause;
  }
  close(output_);
}

base::Status Stressor::Check() const {
  siginfo_t ended{};
  if (waitid(P_PID, static_cast<id_t>(guard_), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
      ended.si_pid == guard_) {
    return base::Error(base::ErrorCode::kFailed,
                       ended.si_code == CLD_EXITED && ended.si_status == kNotStarted
                           ? "stress-ng could not be started"
                           : "stress-ng ended by itself: " + LastWords());
  }
  return {};
}

void Stressor::Look() {
  pids_ = {guard_, leader_};
  for (const ProcessEntry& process : Descendants(leader_)) {
    if (!process.zombie) pids_.push_back(process.pid);
  }
  if (!running_) SignalWorkers();
}

void Stressor::Run(bool on) {
  if (on == running_) return;
  running_ = on;
  SignalWorkers();
}

void Stressor::SignalWorkers() const {
  for (const pid_t worker : workers()) kill(worker, running_ ? SIGCONT : SIGSTOP);
}

std::string Stressor::LastWords() const {
  std::array<char, 4096> text{};
  const ssize_t count = pread(output_, text.data(), text.size(), 0);
  if (count <= 0) return "it said nothing";
  std::string_view last;
  const std::string_view all(text.data(), static_cast<size_t>(count));
  for (const std::string_view line : base::Split(all, '\n')) {
    if (line.find("error:") != std::string_view::npos) return std::string(line);
    if (!base::Trim(line).empty()) last = line;
  }
  return std::string(last);
}

}  // namespace reckon::observe
