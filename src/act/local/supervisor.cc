#include "act/local/supervisor.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <deque>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/prctl.h>

#include "act/local/background_wait.h"
#include "act/local/disk_reserve.h"
#include "act/local/end_reasons.h"
#include "act/local/event_file.h"
#include "act/local/kill_tree.h"
#include "act/local/laggards.h"
#include "act/local/node_watch.h"
#include "act/local/part_orders.h"
#include "act/local/rank.h"
#include "act/local/rank_cgroup.h"
#include "act/local/report_door.h"
#include "act/local/setups.h"
#include "act/local/stop_wake.h"
#include "base/file.h"
#include "base/system_error.h"
#include "observe/events/report.h"

namespace reckon::act {
namespace {

using base::Json;
using core::RunState;
using std::chrono::duration;
using std::chrono::milliseconds;

constexpr milliseconds kUsageEvery{5'000};
constexpr milliseconds kLongestWait{500};
constexpr milliseconds kStrayLimit{10'000};
// How often background is looked at that has not settled: what it reports wakes nobody.
constexpr milliseconds kSettleLook{50};
// Keepers give up after half of this when something does not die.
constexpr milliseconds kStopLimit{60'000};

class Supervisor {
 public:
  Supervisor(const LaunchSpec& spec, const SupervisorOptions& options, const base::Clock& clock,
             base::Logger& log, const std::stop_token& stop, EventWriter& events,
             DiskReserve& reserve, ReportDoor& door)
      : spec_(spec),
        options_(options),
        clock_(clock),
        log_(log),
        stop_(stop),
        events_(events),
        reserve_(reserve),
        door_(door),
        reasons_(door, options.folder, clock),
        watch_(spec, log),
        background_(spec, door, clock),
        laggards_(spec, clock),
        begin_(clock.Monotonic()),
        grace_(std::chrono::ceil<milliseconds>(duration<double>(spec.stop_grace_s))) {}

  RunOutcome Run();

 private:
  enum class Stage { kSetup, kBackground, kRanks, kServers /* workers are done */ };

  void Write(const char* kind, Json fields);
  void Enter(RunState state, const std::string& reason);
  void StartSetups();
  void StartBackground();
  void AwaitBackground();
  void TakeOrders();
  void StartRanks();
  void Start(Rank& rank);
  void Wait(const StopWake& wake);
  void TakeNews(Rank& rank);
  void Started(Rank& rank, int64_t pid);
  void NoteRunning();
  void Ended(Rank& rank, const ProcessEnd& end);
  void Reconsider(const Rank& rank, const ProcessEnd& end);
  void WriteUsage(Rank& rank);
  void WriteNodes();
  void SweepStrays();
  void Advance();
  void GiveUpLaggards();
  void JudgeWorkers();
  void WorkersAreDone();
  void Decide(RunState state, const std::string& reason);
  bool AllGone() const;
  Json Identity(const Rank& rank) const;

  const LaunchSpec& spec_;
  const SupervisorOptions& options_;
  const base::Clock& clock_;
  base::Logger& log_;
  const std::stop_token& stop_;
  EventWriter& events_;
  DiskReserve& reserve_;
  ReportDoor& door_;
  const EndReasons reasons_;
  NodeWatch watch_;
  BackgroundWait background_;
  Laggards laggards_;

  const base::MonotonicTime begin_;
  const milliseconds grace_;
  PartOrders orders_;  // of a part
  Stage stage_ = Stage::kSetup;
  RunState state_ = RunState::kQueued;
  std::vector<ProcessSpec> setups_;  // made once: ranks point into it
  std::deque<Rank> ranks_;           // those of the stage
  std::optional<RunOutcome> verdict_;
  bool in_wake_ = false;                 // another rank's death may explain the verdict
  base::MonotonicTime stop_deadline_;    // once there is a verdict
  base::MonotonicTime server_deadline_;  // in stage kServers
};

void Supervisor::Write(const char* kind, Json fields) {
  Json event = {{"kind", kind}, {"at", observe::EventTime(clock_.Now())}};
  event.update(fields);
  if (const base::Status written = events_.Append(event); !written.ok()) {
    log_.Error(written.error().Describe());
  }
}

void Supervisor::Enter(RunState state, const std::string& reason) {
  if (state == state_) return;
  state_ = state;
  Json fields = {{"state", core::RunStateName(state)}};
  if (!reason.empty()) fields["reason"] = reason;
  // A part that ends is not yet the run's end.
  Write(spec_.part.empty() ? "run.state" : "part.state", fields);
  log_.Info(fmt::format("run {}: {}{}{}", spec_.run_id, core::RunStateName(state),
                        reason.empty() ? "" : ": ", reason));
}

RunOutcome Supervisor::Run() {
  const StopWake wake(stop_);
  Enter(RunState::kStarting, "");
  StartSetups();
  for (;;) {
    if (stop_.stop_requested()) Decide(RunState::kStopped, "");
    const duration<double> passed = clock_.Monotonic() - begin_;
    // Once the workers are done the work is, and the rest has a limit of its own.
    if (spec_.time_limit_s && stage_ != Stage::kServers && passed.count() >= *spec_.time_limit_s) {
      Decide(RunState::kFailed,
             fmt::format("the time limit of {} s has passed", *spec_.time_limit_s));
    }
    Advance();
    if (verdict_ && AllGone()) break;
    if (verdict_ && clock_.Monotonic() >= stop_deadline_) {
      for (Rank& rank : ranks_) {
        if (rank.Lives()) rank.kept->KillKeeper();
      }
    }
    Wait(wake);
    for (Rank& rank : ranks_) TakeNews(rank);
  }
  SweepStrays();
  base::RemoveAbandonedFiles(options_.folder.path);  // of ranks that were killed while writing
  WriteNodes();
  reserve_.Release();  // the end must find room whatever else filled the disk
  Enter(verdict_->state, verdict_->reason);
  return *verdict_;
}

void Supervisor::StartSetups() {
  setups_ = SetupsOf(spec_, options_.folder);
  for (const ProcessSpec& setup : setups_) {
    ranks_.emplace_back();
    ranks_.back().spec = &setup;
    ranks_.back().setup = true;
  }
  for (Rank& rank : ranks_) Start(rank);
}

void Supervisor::StartBackground() {
  stage_ = Stage::kBackground;
  ranks_.clear();
  for (const ProcessSpec& process : spec_.processes) {
    ranks_.emplace_back();
    ranks_.back().spec = &process;
  }
  for (Rank& rank : ranks_) {
    if (rank.Background() && !verdict_) Start(rank);
  }
}

void Supervisor::AwaitBackground() {
  switch (background_.Look(ranks_, /*may_end=*/spec_.part.empty() || orders_.go)) {
    case BackgroundWait::News::kNone:
      return;
    case BackgroundWait::News::kSettled:
      return Write("background.settled", Json::object());
    case BackgroundWait::News::kFailed:
      return Decide(RunState::kFailed, background_.problem());
    case BackgroundWait::News::kOver:
      return StartRanks();
  }
}

void Supervisor::TakeOrders() {
  if (spec_.part.empty() || orders_.release) return;
  auto orders = ReadOrders(options_.folder);
  if (orders.ok()) {
    orders_ = *orders;
    if (!orders_.ending.empty()) door_.AskToEnd(orders_.ending);
  } else {
    Decide(RunState::kFailed, orders.error().Describe());
  }
}

void Supervisor::StartRanks() {
  stage_ = Stage::kRanks;
  for (Rank& rank : ranks_) {
    if (!rank.Background() && !verdict_) Start(rank);
  }
}

void Supervisor::Start(Rank& rank) {
  rank.started = false;
  rank.end.reset();
  rank.usage = {};
  rank.usage_written = clock_.Monotonic();
  door_.ForgetError(rank.spec->role, rank.spec->index);
  KeepOrder order;
  order.process = *rank.spec;
  order.stop_grace_s = spec_.stop_grace_s;
  order.log_path = (options_.folder.path / rank.spec->log).string();
  if (order.process.workdir.empty()) order.process.workdir = options_.folder.path.string();
  auto& env = order.process.env;
  env["RECKON_RUN_ID"] = std::to_string(spec_.run_id);
  env["RECKON_STATUS_URL"] = door_.url();
  env["RECKON_TOKEN"] = spec_.token;
  if (!spec_.part.empty()) env[kPartVariable] = PartMark(spec_);
  env["RECKON_ROLE"] = rank.spec->role;
  if (!rank.setup) env.emplace("RANK", std::to_string(rank.spec->index));
  auto kept = KeptProcess::Start(options_.keeper_program, order);
  if (!kept.ok()) {
    Ended(rank, {.failure = "could not be started: " + kept.error().Describe()});
    return;
  }
  rank.kept = std::move(kept).value();
}

void Supervisor::Wait(const StopWake& wake) {
  // After the verdict the wake would be readable for ever.
  std::vector<pollfd> waits{{verdict_ ? -1 : wake.descriptor(), POLLIN, 0}};
  for (const Rank& rank : ranks_) {
    if (rank.Lives()) waits.push_back({rank.kept->descriptor(), POLLIN, 0});
  }
  milliseconds limit = kLongestWait;
  const auto until = [&](base::MonotonicTime time) {
    const auto left = std::chrono::ceil<milliseconds>(time - clock_.Monotonic());
    limit = std::clamp(left, milliseconds(0), limit);
  };
  if (stage_ == Stage::kServers && !verdict_) until(server_deadline_);
  if (stage_ == Stage::kBackground && !verdict_) limit = kSettleLook;
  if (spec_.time_limit_s && stage_ != Stage::kServers && !verdict_) {
    until(begin_ + std::chrono::ceil<milliseconds>(duration<double>(*spec_.time_limit_s)));
  }
  poll(waits.data(), waits.size(), static_cast<int>(limit.count()));
}

void Supervisor::TakeNews(Rank& rank) {
  if (!rank.Lives()) return;
  std::optional<ProcessEnd> end;
  for (const KeeperNews& news : rank.kept->News()) {
    if (news.started) Started(rank, *news.started);
    if (news.usage) rank.usage = *news.usage;
    if (news.ended) end = *news.ended;
  }
  if (end) rank.end = std::move(end);
  if (!rank.kept->gone()) {
    if (clock_.Monotonic() - rank.usage_written >= kUsageEvery) WriteUsage(rank);
    return;
  }
  // Only now: a rank that is started again must not meet what was below the last one.
  SweepStrays();
  RemoveRankCgroup(rank.spec->place, rank.kept->keeper());
  Ended(rank, *std::exchange(rank.end, std::nullopt));
}

void Supervisor::Started(Rank& rank, int64_t pid) {
  rank.started = true;
  rank.started_at = clock_.Monotonic();
  if (rank.setup) return;
  Json fields = Identity(rank);
  fields["pid"] = pid;
  fields["host"] = rank.spec->place.host;
  if (!rank.spec->app.empty()) fields["app"] = rank.spec->app;
  Write("rank.started", fields);
  NoteRunning();
}

void Supervisor::NoteRunning() {
  const bool all = std::all_of(ranks_.begin(), ranks_.end(),
                               [](const Rank& rank) { return rank.started || rank.end; });
  if (all && stage_ != Stage::kSetup && !verdict_) Enter(RunState::kRunning, "");
}

void Supervisor::Ended(Rank& rank, const ProcessEnd& end) {
  rank.end = end;
  if (rank.started && !rank.setup) WriteUsage(rank);
  Json fields = rank.setup ? Json{{"host", rank.spec->place.host}} : Identity(rank);
  if (end.exit_code) fields["exit_code"] = *end.exit_code;
  if (end.signal) fields["signal"] = *end.signal;
  if (!end.failure.empty()) fields["failure"] = end.failure;
  fields["seconds"] = end.seconds;
  Write(rank.setup ? "setup.ended" : "rank.ended", fields);
  if (rank.Background() && !verdict_ && stage_ != Stage::kServers) {
    // Without it the rest would measure something else.
    Decide(RunState::kFailed,
           reasons_.WhyEnded(rank) + (end.Good() ? ", before the training did" : ""));
    return;
  }
  if (end.Good()) return;
  if (verdict_) {
    Reconsider(rank, end);
  } else if (stage_ == Stage::kServers) {
    if (rank.Background()) return;  // it was told to end
    log_.Warn(fmt::format("after the last worker: {}", reasons_.WhyEnded(rank)));
  } else if (rank.spec->on_death == OnDeath::kFail || rank.setup) {
    Decide(RunState::kFailed, reasons_.WhyFailed(rank));
    in_wake_ = end.exit_code.has_value();
  } else if (rank.spec->on_death == OnDeath::kRestart) {
    if (rank.restarts == spec_.most_restarts) {
      Decide(RunState::kFailed, fmt::format("{}; it was started again {} times already",
                                            reasons_.WhyEnded(rank), rank.restarts));
      return;
    }
    ++rank.restarts;
    Enter(RunState::kRecovering, reasons_.WhyEnded(rank));
    Start(rank);
  } else {
    NoteRunning();
  }
}

// Who dies takes others along, and of those we may hear first. A death that is not our doing is the
// better reason: ranks that are stopped get SIGTERM, and SIGKILL not before the grace is over.
void Supervisor::Reconsider(const Rank& rank, const ProcessEnd& end) {
  const bool grace_over = clock_.Monotonic() >= stop_deadline_ - kStopLimit;
  const bool signalled =
      end.signal && *end.signal != SIGTERM && (*end.signal != SIGKILL || !grace_over);
  if (!in_wake_ || (!signalled && end.failure.empty())) return;
  in_wake_ = false;
  verdict_->reason = reasons_.WhyEnded(rank);
}

Json Supervisor::Identity(const Rank& rank) const {
  return {{"role", rank.spec->role}, {"index", rank.spec->index}};
}

void Supervisor::WriteUsage(Rank& rank) {
  rank.usage_written = clock_.Monotonic();
  if (rank.setup) return;
  Json fields = Identity(rank);
  fields.update(ToJson(rank.usage));
  Write("rank.usage", fields);
}

// Once nothing of the run is left: what its hosts used, and what others did.
void Supervisor::WriteNodes() {
  std::vector<Json> usages;
  if (background_.baseline()) usages = watch_.Usage("before", *background_.baseline());
  const auto training = orders_.training ? orders_.training : door_.Training();
  if (training) {
    for (Json& usage : watch_.Usage("training", *training)) usages.push_back(std::move(usage));
  }
  for (const Json& usage : usages) Write("node.usage", usage);
  if (const auto disturbed = watch_.Disturbed(training)) {
    Json fields{{"foreign", disturbed->foreign}, {"seconds", disturbed->seconds}};
    if (disturbed->pace_us) fields["pace_us"] = *disturbed->pace_us;
    if (disturbed->steal) fields["steal"] = *disturbed->steal;
    Write("run.disturbance", fields);
  }
}

void Supervisor::SweepStrays() {
  std::set<pid_t> keepers;
  for (const Rank& rank : ranks_) {
    if (rank.Lives()) keepers.insert(rank.kept->keeper());
  }
  if (!KillStrays(keepers, kStrayLimit)) log_.Error("processes of the run do not die");
}

void Supervisor::Advance() {
  if (!verdict_) TakeOrders();
  if (verdict_) return;
  if (stage_ == Stage::kSetup && AllGone()) StartBackground();
  if (stage_ == Stage::kBackground && !verdict_) AwaitBackground();
  if (stage_ == Stage::kRanks && !verdict_) {
    if (spec_.part.empty()) {
      GiveUpLaggards();
      if (!verdict_) JudgeWorkers();
    } else if (orders_.release) {
      WorkersAreDone();  // also those on other nodes, of which we cannot know
    }
  }
  if (stage_ == Stage::kServers && (AllGone() || clock_.Monotonic() >= server_deadline_)) {
    Decide(RunState::kFinished, door_.ending().value_or(""));
  }
}

void Supervisor::GiveUpLaggards() {
  for (Rank* rank : laggards_.Abandoned(ranks_)) {
    log_.Warn(fmt::format("{} goes on without servers; it is stopped", ProcessName(*rank->spec)));
    rank->kept->Stop();
  }
  if (const Rank* hanging = laggards_.Hanging(ranks_)) {
    Decide(RunState::kFailed, fmt::format("{} hangs: another worker has ended {:.4g} s ago",
                                          ProcessName(*hanging->spec), spec_.ends_within_s));
  }
}

// Succeeded when all workers have ended, one of them well; those that ended badly were allowed to.
void Supervisor::JudgeWorkers() {
  const Rank* bad = nullptr;
  bool good = false;
  for (const Rank& rank : ranks_) {
    if (!rank.Worker()) continue;
    if (!rank.end || rank.Lives()) return;
    good |= rank.end->Good();
    if (!rank.end->Good()) bad = &rank;
  }
  if (!good && bad != nullptr) {
    Decide(RunState::kFailed, "no worker is left; the last: " + reasons_.WhyEnded(*bad));
    return;
  }
  WorkersAreDone();
}

void Supervisor::WorkersAreDone() {
  stage_ = Stage::kServers;
  server_deadline_ = clock_.Monotonic() + grace_;
  for (Rank& rank : ranks_) {
    if (rank.Background() && rank.Lives()) rank.kept->Stop();
  }
}

void Supervisor::Decide(RunState state, const std::string& reason) {
  if (verdict_) return;
  verdict_ = RunOutcome{state, reason};
  stop_deadline_ = clock_.Monotonic() + grace_ + kStopLimit;
  if (state == RunState::kStopped) Enter(RunState::kStopping, "");
  for (Rank& rank : ranks_) {
    if (rank.Lives()) rank.kept->Stop();
  }
}

bool Supervisor::AllGone() const {
  return std::none_of(ranks_.begin(), ranks_.end(), [](const Rank& rank) { return rank.Lives(); });
}

}  // namespace

base::Result<RunOutcome> Supervise(const LaunchSpec& spec, const SupervisorOptions& options,
                                   const base::Clock& clock, base::Logger& log,
                                   const std::stop_token& stop) {
  RECKON_ASSIGN(const RunLock lock, RunLock::Take(options.folder));
  if (!spec.part.empty()) {
    // Who was not sure whether it had started this part may have done so twice.
    std::error_code error;
    if (std::filesystem::file_size(options.folder.events(), error) > 0 && !error) {
      return base::Error(base::ErrorCode::kUnavailable,
                         fmt::format("{} was carried out already", options.folder.path.string()));
    }
  }
  RECKON_ASSIGN(EventWriter events, EventWriter::Open(options.folder.events()));
  RECKON_ASSIGN(DiskReserve reserve, DiskReserve::Take(options.folder.reserve()));
  auto door = ReportDoor::Open(spec, events, clock, log, options.adviser);
  if (!door.ok()) {
    // Who looks for this run must find its end; the supervisor has held the lock.
    RECKON_TRY(events.Append({{"kind", spec.part.empty() ? "run.state" : "part.state"},
                              {"at", observe::EventTime(clock.Now())},
                              {"state", core::RunStateName(RunState::kFailed)},
                              {"reason", door.error().Describe()}}));
    return std::move(door).error();
  }
  if (prctl(PR_SET_CHILD_SUBREAPER, 1) != 0) return base::SystemError("prctl");
  return Supervisor(spec, options, clock, log, stop, events, reserve, **door).Run();
}

}  // namespace reckon::act
