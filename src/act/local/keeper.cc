#include "act/local/keeper.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "act/local/keep_order.h"
#include "act/local/kill_tree.h"
#include "act/local/line_channel.h"
#include "act/local/place_limits.h"
#include "act/local/rank_cgroup.h"
#include "act/local/rank_process.h"
#include "base/interrupt.h"
#include "observe/probes/tree_meter.h"

namespace reckon::act {
namespace {

using std::chrono::duration;
using std::chrono::milliseconds;

constexpr milliseconds kOrderLimit{20'000};
constexpr milliseconds kMeasureEvery{1'000};
// What is left when the rank has ended gets this long after SIGTERM.
constexpr milliseconds kLeftoverGrace{1'000};
// What survives SIGKILL so long sits in the kernel and is beyond us.
constexpr milliseconds kKillLimit{30'000};
constexpr milliseconds kSignalEvery{20};
// What a sandbox ends with when a signal has ended what ran in it, and the signal's number.
constexpr int kDiedOfSignal = 128;

int WatchSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : {SIGCHLD, SIGTERM, SIGINT, SIGHUP}) sigaddset(&signals, number);
  sigprocmask(SIG_SETMASK, &signals, nullptr);
  return signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
}

class Keeper {
 public:
  Keeper(int descriptor, const base::Clock& clock)
      : channel_(descriptor), clock_(clock), signals_(WatchSignals()) {}
  ~Keeper() {
    if (signals_ >= 0) close(signals_);
    if (report_ >= 0) close(report_);
  }
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;

  int Run();

 private:
  enum class Phase { kRunning, kStopping, kKilling };

  base::Result<KeepOrder> AwaitOrder();
  base::MonotonicTime Now() const { return clock_.Monotonic(); }
  void Wait();
  void TakeOrders();
  void TakeSignals();
  void TakeReport();
  void Reap();
  void Judge();
  void Stop(milliseconds grace);
  void Kill();
  void Push();
  // Waits for a supervisor that stands still: these are told once.
  void Tell(const KeeperNews& news) { (void)channel_.Send(ToJson(news)); }

  LineChannel channel_;
  const base::Clock& clock_;
  int signals_;
  int report_ = -1;
  std::vector<base::Json> early_;  // came together with the order
  KeepOrder order_;
  std::unique_ptr<RankCgroup> cgroup_;  // nullptr: none
  std::optional<PlaceLimits> limits_;
  std::optional<observe::TreeMeter> meter_;
  pid_t rank_ = 0;
  base::MonotonicTime begin_;
  base::MonotonicTime next_measure_;
  Phase phase_ = Phase::kRunning;
  base::MonotonicTime deadline_;  // of the phase, unless running
  std::set<pid_t> told_;          // has got SIGTERM
  std::optional<ProcessEnd> end_;
  std::string failure_;
  bool alone_ = false;  // no child is left, so nothing below is
};

base::Result<KeepOrder> Keeper::AwaitOrder() {
  const auto deadline = Now() + kOrderLimit;
  while (!channel_.closed() && Now() < deadline) {
    pollfd wait{channel_.descriptor(), POLLIN, 0};
    poll(&wait, 1, static_cast<int>(kOrderLimit.count()));
    std::vector<base::Json> messages = channel_.Receive();
    if (messages.empty()) continue;
    const base::Json first = messages.front();
    early_.assign(messages.begin() + 1, messages.end());
    return KeepOrderFromJson(first);
  }
  return base::Error(base::ErrorCode::kUnavailable, "no order came");
}

int Keeper::Run() {
  // The channel's end says the same; this comes also while somebody else holds the other side.
  if (signals_ < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0 ||
      prctl(PR_SET_PDEATHSIG, SIGTERM) != 0) {
    return 1;
  }
  base::Result<KeepOrder> order = AwaitOrder();
  if (!order.ok()) return 1;
  order_ = std::move(order).value();
  cgroup_ = RankCgroup::Make(order_.process.place, getpid());
  limits_.emplace(order_.process.place);
  const std::string cgroup = cgroup_ == nullptr ? "" : cgroup_->folder();
  meter_.emplace(observe::TreeMeterOptions{getpid(), order_.process.place.netns, cgroup}, clock_);
  begin_ = Now();
  const base::Result<NewRank> rank = StartRank(order_, cgroup);
  if (!rank.ok()) {
    Tell({.ended = ProcessEnd{.failure = "could not be started: " + rank.error().Describe()}});
    return 1;
  }
  rank_ = rank->pid;
  if (order_.process.sandbox) told_.insert(rank_);  // only waits; its end would be all others' end
  report_ = rank->report;
  next_measure_ = begin_ + kMeasureEvery;
  while (!alone_) {
    Wait();
    TakeReport();
    TakeOrders();
    TakeSignals();
    Reap();
    Push();
    if (Now() >= next_measure_ && !alone_) {
      meter_->Sample();
      next_measure_ = Now() + kMeasureEvery;
      // The next one says it again.
      if (phase_ == Phase::kRunning) (void)channel_.Offer(ToJson({.usage = meter_->usage()}));
    }
    if (phase_ == Phase::kKilling && Now() >= deadline_) break;
  }
  meter_->Finish();
  Tell({.usage = meter_->usage()});
  if (!end_) end_ = ProcessEnd{.failure = "could not be killed"};
  if (!failure_.empty()) *end_ = ProcessEnd{.failure = "could not be started: " + failure_};
  Tell({.ended = *end_});
  return alone_ ? 0 : 1;
}

void Keeper::Wait() {
  if (!early_.empty()) return;
  auto until = next_measure_;
  if (phase_ != Phase::kRunning) until = std::min(until, Now() + kSignalEvery);
  const auto left = std::chrono::ceil<milliseconds>(until - Now());
  std::array<pollfd, 3> waits{pollfd{channel_.closed() ? -1 : channel_.descriptor(), POLLIN, 0},
                              pollfd{signals_, POLLIN, 0}, pollfd{report_, POLLIN, 0}};
  poll(waits.data(), waits.size(), static_cast<int>(std::max(left, milliseconds(0)).count()));
}

void Keeper::TakeOrders() {
  std::vector<base::Json> messages = std::exchange(early_, {});
  for (base::Json& message : channel_.Receive()) messages.push_back(std::move(message));
  for (const base::Json& message : messages) {
    const base::Json say = message.value("say", base::Json());
    if (say == kSayStop) {
      Stop(std::chrono::ceil<milliseconds>(duration<double>(order_.stop_grace_s)));
    }
  }
  if (channel_.closed()) Kill();
}

void Keeper::TakeSignals() {
  signalfd_siginfo info{};
  while (read(signals_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    if (info.ssi_signo == SIGCHLD) continue;  // Reap comes anyway
    Stop(std::chrono::ceil<milliseconds>(duration<double>(order_.stop_grace_s)));
  }
}

void Keeper::TakeReport() {
  if (report_ < 0) return;
  std::array<char, 2048> buffer{};
  const ssize_t count = read(report_, buffer.data(), buffer.size());
  if (count < 0) return;
  if (count > 0) {
    failure_.append(buffer.data(), static_cast<size_t>(count));
    return;
  }
  close(report_);
  report_ = -1;
  if (!failure_.empty()) return;
  meter_->Started(cgroup_ != nullptr && cgroup_->Holds(rank_));
  Tell({.started = rank_});
}

void Keeper::Reap() {
  siginfo_t info{};
  if (report_ >= 0 &&
      waitid(P_PID, static_cast<id_t>(rank_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
      info.si_pid == rank_) {
    // It has told all it will; where it was is known until it is waited for.
    TakeReport();
    TakeReport();
  }
  for (;;) {
    int status = 0;
    const pid_t pid = waitpid(-1, &status, WNOHANG);
    if (pid == 0) return;
    if (pid < 0) {
      alone_ = errno == ECHILD;
      return;
    }
    if (pid != rank_ || end_) continue;
    end_.emplace();
    end_->seconds = duration<double>(Now() - begin_).count();
    if (WIFSIGNALED(status)) {
      end_->signal = WTERMSIG(status);
    } else if (order_.process.sandbox && WEXITSTATUS(status) > kDiedOfSignal) {
      end_->signal = WEXITSTATUS(status) - kDiedOfSignal;
    } else {
      end_->exit_code = WEXITSTATUS(status);
    }
    Judge();
    meter_->FirstEnded();
    Stop(kLeftoverGrace);
  }
}

// What its place has to do with the rank's end.
void Keeper::Judge() {
  if (end_->Good()) {
    const std::string changed = limits_->Changed();
    // Its times are those of another host; only workers' become samples.
    if (changed.empty() || order_.process.role != kWorkerRole) return;
    end_->exit_code.reset();
    end_->failure = fmt::format("lost its share of host {} while it ran: {}",
                                order_.process.place.host, changed);
  } else if (phase_ != Phase::kKilling) {
    end_->cause = limits_->OutOfMemory();
  }
}

void Keeper::Stop(milliseconds grace) {
  if (phase_ == Phase::kKilling) return;
  const auto deadline = Now() + grace;
  deadline_ = phase_ == Phase::kStopping ? std::min(deadline_, deadline) : deadline;
  phase_ = Phase::kStopping;
}

void Keeper::Kill() {
  if (phase_ == Phase::kKilling) return;
  phase_ = Phase::kKilling;
  deadline_ = Now() + kKillLimit;
}

void Keeper::Push() {
  if (alone_ || phase_ == Phase::kRunning) return;
  if (phase_ == Phase::kStopping && Now() >= deadline_) Kill();
  if (phase_ == Phase::kKilling) {
    if (cgroup_ != nullptr) cgroup_->Kill();
    std::set<pid_t> anew;
    SignalTree(getpid(), SIGKILL, {}, anew);
  } else {
    SignalTree(getpid(), SIGTERM, {}, told_);
  }
}

}  // namespace

int RunKeeper(int descriptor, const base::Clock& clock) {
  base::ExpectChildren();
  return Keeper(descriptor, clock).Run();
}

}  // namespace reckon::act
