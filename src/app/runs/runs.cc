#include "app/runs/runs.h"

#include <algorithm>
#include <chrono>
#include <stop_token>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "act/local/event_file.h"
#include "act/local/run_folder.h"
#include "act/local/supervisor.h"
#include "app/data.h"
#include "app/runs/run_files.h"
#include "app/runs/run_sync.h"
#include "base/text.h"

namespace reckon::app {
namespace {

using base::Error;
using base::ErrorCode;
using core::RunState;

constexpr std::chrono::milliseconds kLook{100};

double SecondsNow(const Context& context) {
  return std::chrono::duration<double>(context.clock.Now().time_since_epoch()).count();
}

base::Result<int64_t> RunNumber(const std::string& run, store::Store& store,
                                const Context& context) {
  if (run.empty() || run == "last") {
    RECKON_ASSIGN(const std::vector<core::Run> newest, store.ListRuns(1, std::nullopt));
    if (!newest.empty()) return newest.front().id;
    return Error(ErrorCode::kNotFound, fmt::format("store '{}' has no runs", context.db.name()));
  }
  const auto number = base::ParseInteger(run);
  if (number && *number > 0) return *number;
  return base::BadInput(fmt::format("'{}' is no run; expected its number, or last", run));
}

base::Result<RunReport> Report(store::Store& store, int64_t id, const Context& context) {
  RECKON_ASSIGN(SyncedRun synced, SyncRun(store, context.db, id, context.clock));
  RunReport report = ReportOf(synced.run, std::move(synced.view), context);
  report.note = std::move(synced.note);
  report.orphaned = synced.orphaned;
  return report;
}

// How far the run is, for whoever waits for it.
void ShowProgress(const RunView& view, double begun, double now, base::Progress& progress) {
  const RunView::Progress state = view.WorkersProgress(now);
  const std::string what =
      state.total > 0 ? "training" : core::RunStateName(view.state.value_or(RunState::kStarting));
  base::ProgressState shown{what, now - view.running_since.value_or(begun), {}, state.remaining_s};
  if (state.total > 0) shown.share = state.done / state.total;
  progress.Tell(shown);
}

// Ends what `progress` showed, however its user leaves.
class ShownUntilEnd {
 public:
  explicit ShownUntilEnd(base::Progress& progress) : progress_(progress) {}
  ~ShownUntilEnd() { progress_.End(); }
  ShownUntilEnd(const ShownUntilEnd&) = delete;
  ShownUntilEnd& operator=(const ShownUntilEnd&) = delete;

 private:
  base::Progress& progress_;
};

}  // namespace

RunReport ReportOf(const core::Run& run, RunView view, const Context& context) {
  RunReport report;
  report.run = run;
  report.forecast = ForecastOf(run, view);
  report.view = std::move(view);
  report.folder = RunFolderPath(context.db, run.id).string();
  report.now = SecondsNow(context);
  return report;
}

base::Result<RunReport> FollowRun(int64_t run_id, const Context& context) {
  const act::RunFolder folder(RunFolderPath(context.db, run_id));
  bool asked = false;
  {
    const ShownUntilEnd shown(context.progress);
    const double begun = SecondsNow(context);
    RunView view;
    act::EventReader reader(folder.events());
    while (true) {
      RECKON_ASSIGN(const bool lives, act::SupervisorLives(folder));
      RECKON_TRY(reader.Next([&](const base::Json& event) { view.Add(event); }));
      ShowProgress(view, begun, SecondsNow(context), context.progress);
      if (!lives) break;
      if (context.stop.stop_requested() && !asked) {
        asked = true;
        // A run that ends at this moment needs no stop.
        const base::Status stopped = act::RequestStop(folder);
        if (!stopped.ok() && stopped.error().code() != ErrorCode::kNotFound) return stopped.error();
      }
      std::this_thread::sleep_for(kLook);
    }
  }
  RECKON_ASSIGN(const auto store, OpenStore(context, false));
  return Report(*store, run_id, context);
}

base::Result<RunReport> FindRunReport(const std::string& run, const Context& context) {
  RECKON_ASSIGN(const auto store, OpenStore(context, false));
  RECKON_ASSIGN(const int64_t id, RunNumber(run, *store, context));
  return Report(*store, id, context);
}

namespace {

// The run that a stop without a number means: the newest that has not ended.
base::Result<int64_t> RunToStop(const std::string& run, store::Store& store,
                                const Context& context) {
  constexpr size_t kPage = 100;
  if (!run.empty()) return RunNumber(run, store, context);
  std::optional<int64_t> before;
  for (;;) {
    RECKON_ASSIGN(const std::vector<core::Run> page, store.ListRuns(kPage, before));
    for (const core::Run& one : page) {
      if (core::IsFinal(one.state)) continue;
      RECKON_ASSIGN(const SyncedRun synced, SyncRun(store, context.db, one.id, context.clock));
      if (!core::IsFinal(synced.run.state)) return one.id;
    }
    if (page.size() < kPage) break;
    before = page.back().id;
  }
  return base::BadInput(fmt::format("no run of store '{}' is at work", context.db.name()));
}

// Asks until somebody has heard it: a run that is being planned has no supervisor yet.
base::Status AskToStop(store::Store& store, int64_t id, const Context& context) {
  const act::RunFolder folder(RunFolderPath(context.db, id));
  while (true) {
    base::Status asked = act::RequestStop(folder);
    if (asked.ok() || asked.error().code() != ErrorCode::kNotFound) return asked;
    RECKON_ASSIGN(const core::Run run, store.FindRun(id));
    RECKON_ASSIGN(const bool planned, BeingPlanned(context.db, run, context.clock));
    // One that ended in between is as stopped as it can be.
    if (!planned) return {};
    if (context.stop.stop_requested()) {
      return Error(ErrorCode::kInterrupted, fmt::format("run {} goes on", id));
    }
    std::this_thread::sleep_for(kLook);
  }
}

// A supervisor ends its ranks within their grace and a minute; one that stands still never does.
std::chrono::steady_clock::duration StopPatience(const act::RunFolder& folder) {
  const auto spec = act::ReadLaunchSpec(folder);
  const double grace_s = spec.ok() ? spec->stop_grace_s : 0;
  return std::chrono::seconds(static_cast<int64_t>(90 + grace_s));
}

}  // namespace

base::Result<RunReport> StopRun(const std::string& run, const Context& context) {
  RECKON_ASSIGN(const auto store, OpenStore(context, false));
  RECKON_ASSIGN(const int64_t id, RunToStop(run, *store, context));
  RECKON_ASSIGN(const RunReport before, Report(*store, id, context));
  if (!core::IsFinal(before.run.state) && store->FindManagedRun(id).ok()) {
    return base::BadInput(fmt::format(
        "a manager carries out run {0}; ask it: reckon stop {0} --server HOST:PORT", id));
  }
  if (core::IsFinal(before.run.state)) {
    return base::BadInput(
        fmt::format("run {} is {} already", id, core::RunStateName(before.run.state)));
  }
  if (const std::string elsewhere = KeptElsewhere(context.db, before.run); !elsewhere.empty()) {
    return base::BadInput(fmt::format("run {} cannot be stopped from here: {}", id, elsewhere));
  }
  const act::RunFolder folder(RunFolderPath(context.db, id));
  RECKON_TRY(AskToStop(*store, id, context));
  const auto deadline = std::chrono::steady_clock::now() + StopPatience(folder);
  bool killed = false;
  while (true) {
    RECKON_ASSIGN(const bool lives, act::SupervisorLives(folder));
    if (!lives) break;
    if (context.stop.stop_requested()) {
      return Error(ErrorCode::kInterrupted,
                   fmt::format("run {} was asked to stop; not waited for", id));
    }
    if (!killed && std::chrono::steady_clock::now() >= deadline) {
      killed = true;
      context.log.Warn("the supervisor does not answer; it is killed, and its ranks with it");
      const base::Status done = act::KillSupervisor(folder);
      if (!done.ok() && done.error().code() != ErrorCode::kNotFound) return done.error();
    }
    std::this_thread::sleep_for(kLook);
  }
  return Report(*store, id, context);
}

}  // namespace reckon::app
