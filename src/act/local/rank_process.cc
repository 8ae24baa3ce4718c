#include "act/local/rank_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/file.h"
#include "base/system_error.h"
#include "net/net_namespace.h"

namespace reckon::act {
namespace {

base::Status JoinCgroup(const std::string& folder) {
  return base::WriteControl(folder + "/cgroup.procs", std::to_string(getpid()));
}

base::Status ConnectStandardFiles(const std::string& log) {
  const int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
  const int out = open(log.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (null < 0 || out < 0) return base::SystemError("cannot open " + log);
  if (dup2(null, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
      dup2(out, STDERR_FILENO) < 0) {
    return base::SystemError("cannot connect the log");
  }
  return {};
}

// Ends in the program of the order, or says why not.
base::Status BecomeRank(const KeepOrder& order, const std::string& cgroup, pid_t keeper) {
  const ProcessSpec& process = order.process;
  setsid();
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return base::SystemError("prctl");
  if (getppid() != keeper) return base::Error(base::ErrorCode::kInterrupted, "the keeper is gone");
  for (const std::string& folder : process.place.cgroups) RECKON_TRY(JoinCgroup(folder));
  if (!cgroup.empty()) (void)JoinCgroup(cgroup);
  if (!process.place.netns.empty()) RECKON_TRY(net::EnterNamespace(process.place.netns));
  RECKON_TRY(ConnectStandardFiles(order.log_path));
  for (const int number : {SIGPIPE, SIGINT, SIGQUIT, SIGHUP, SIGTERM, SIGCHLD}) {
    (void)signal(number, SIG_DFL);
  }
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (process.sandbox) return EnterSandbox(*process.sandbox, process.argv, process.env);
  if (!process.workdir.empty() && chdir(process.workdir.c_str()) != 0) {
    return base::SystemError("cannot enter the working folder " + process.workdir);
  }
  for (const auto& [name, value] : process.env) {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): a child of one thread
    if (setenv(name.c_str(), value.c_str(), 1) != 0) return base::SystemError("cannot set " + name);
  }
  std::vector<char*> argv;
  argv.reserve(process.argv.size() + 1);
  // execvp takes them as not const, and does not change them.
  for (const std::string& word : process.argv) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  execvp(argv[0], argv.data());
  return base::SystemError(fmt::format("cannot execute '{}'", process.argv[0]));
}

}  // namespace

base::Result<NewRank> StartRank(const KeepOrder& order, const std::string& cgroup) {
  std::array<int, 2> report{};
  if (pipe2(report.data(), O_CLOEXEC | O_NONBLOCK) != 0) return base::SystemError("pipe");
  const pid_t keeper = getpid();
  const pid_t pid = fork();
  if (pid < 0) {
    close(report[0]);
    close(report[1]);
    return base::SystemError("fork");
  }
  if (pid == 0) {
    const std::string reason = BecomeRank(order, cgroup, keeper).error().Describe();
    (void)!write(report[1], reason.data(), reason.size());
    _exit(127);
  }
  close(report[1]);
  return NewRank{pid, report[0]};
}

}  // namespace reckon::act
