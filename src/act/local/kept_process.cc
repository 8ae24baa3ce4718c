#include "act/local/kept_process.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <thread>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "act/local/keeper.h"
#include "base/system_error.h"

namespace reckon::act {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kToldLimit{5'000};
// From the closing of its files to the end of a process.
constexpr milliseconds kGoneLimit{10'000};

}  // namespace

KeptProcess::KeptProcess(pid_t keeper, LineChannel channel)
    : keeper_(keeper), channel_(std::move(channel)), begin_(std::chrono::steady_clock::now()) {}

base::Result<std::unique_ptr<KeptProcess>> KeptProcess::Start(const std::filesystem::path& program,
                                                              const KeepOrder& order) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    return base::SystemError("socketpair");
  }
  LineChannel channel(ends[0]);
  const std::array<const char*, 3> argv{program.c_str(), kKeeperOption, nullptr};
  const pid_t pid = fork();
  if (pid == 0) {
    // Between fork and exec of a program with threads: system calls only.
    setsid();  // what is typed at a terminal is not for keepers
    const int kept = ends[1] == kKeeperDescriptor ? fcntl(ends[1], F_SETFD, 0)
                                                  : dup2(ends[1], kKeeperDescriptor);
    if (kept >= 0) execv(argv[0], const_cast<char* const*>(argv.data()));
    _exit(127);
  }
  close(ends[1]);
  if (pid < 0) return base::SystemError("fork");
  std::unique_ptr<KeptProcess> kept(new KeptProcess(pid, std::move(channel)));
  // A keeper that is gone already is news, not an error of ours.
  (void)kept->channel_.Send(ToJson(order), kToldLimit);
  return kept;
}

std::vector<KeeperNews> KeptProcess::News() {
  std::vector<KeeperNews> all;
  if (gone_) return all;
  for (const base::Json& message : channel_.Receive()) {
    auto news = KeeperNewsFromJson(message);
    if (!news) continue;
    told_end_ |= news->ended.has_value();
    all.push_back(std::move(*news));
  }
  if (!channel_.closed()) return all;
  // Its files close a moment before its children get their new parent and it can be waited for.
  const auto closed_at = std::chrono::steady_clock::now();
  int status = 0;
  while (waitpid(keeper_, &status, WNOHANG) == 0) {
    const auto waited = std::chrono::steady_clock::now() - closed_at;
    if (waited >= 2 * kGoneLimit) break;
    if (waited >= kGoneLimit) KillKeeper();
    std::this_thread::sleep_for(milliseconds(1));
  }
  gone_ = true;
  if (told_end_) return all;
  ProcessEnd end;
  end.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
  end.failure = WIFSIGNALED(status)
                    ? "was lost: its keeper " + Describe({.signal = WTERMSIG(status)})
                    : "was lost: its keeper " + Describe({.exit_code = WEXITSTATUS(status)});
  all.push_back({.ended = end});
  return all;
}

void KeptProcess::Stop() {
  if (!gone_) (void)channel_.Send({{"say", kSayStop}}, kToldLimit);
}

void KeptProcess::KillKeeper() {
  if (!gone_) kill(keeper_, SIGKILL);
}

}  // namespace reckon::act
