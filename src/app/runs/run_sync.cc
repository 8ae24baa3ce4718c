#include "app/runs/run_sync.h"

#include <array>
#include <chrono>
#include <map>
#include <queue>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "act/local/event_file.h"
#include "act/local/leftovers.h"
#include "act/local/rank_cgroup.h"
#include "act/local/run_folder.h"
#include "act/local/supervisor.h"
#include "app/runs/run_files.h"
#include "app/runs/run_samples.h"
#include "base/json.h"

namespace reckon::app {
namespace {

using base::ErrorCode;
using core::RunState;

constexpr std::array kStates{RunState::kQueued,   RunState::kPlanning, RunState::kTransferring,
                             RunState::kStarting, RunState::kRunning,  RunState::kRecovering,
                             RunState::kStopping, RunState::kFinished, RunState::kFailed,
                             RunState::kStopped};

// The shortest way that the state machine allows, without `from`; empty when there is none.
std::vector<RunState> WayTo(RunState from, RunState to) {
  std::map<RunState, RunState> came_from;
  std::queue<RunState> next;
  next.push(from);
  while (!next.empty() && !came_from.contains(to)) {
    const RunState state = next.front();
    next.pop();
    for (const RunState step : kStates) {
      if (step == from || came_from.contains(step) || !core::CanFollow(state, step)) continue;
      came_from.emplace(step, state);
      next.push(step);
    }
  }
  std::vector<RunState> way;
  if (!came_from.contains(to)) return way;
  for (RunState state = to; state != from; state = came_from.at(state)) {
    way.insert(way.begin(), state);
  }
  return way;
}

std::string Detail(const std::string& reason) {
  if (reason.empty()) return "";
  return base::DumpJsonLine(base::Json{{"reason", reason}});
}

base::Json Parsed(const std::string& text) {
  base::Json json = base::Json::parse(text, nullptr, false);
  return json.is_object() ? json : base::Json::object();
}

// Somebody else was quicker: then the store is as it should be, or will be with the next look.
template <typename Value>
bool WasMoved(const base::Result<Value>& result) {
  return !result.ok() && result.error().code() == ErrorCode::kFailed;
}

// Whoever plans holds a lock; between adding the run and taking the lock nobody sees it.
bool BeingPlanned(const act::RunFolder& folder, const core::Run& run, const base::Clock& clock) {
  constexpr std::chrono::seconds kUnseen{10};
  return act::SupervisorLives(PlanningFolder(folder)) || clock.Now() - run.changed_at < kUnseen;
}

// Keepers end with their supervisor; only what was killed together with both may still be there.
// What could not be ended, in words to add to a reason.
std::string RemoveLeftovers(const act::RunFolder& folder) {
  constexpr std::chrono::seconds kLimit{5};
  const auto spec = act::ReadLaunchSpec(folder);
  if (!spec.ok()) return "";  // without a spec nothing was started
  const auto killed = act::KillLeftovers(folder, spec->token, kLimit);
  act::RemoveAbandonedRankCgroups(*spec);
  return killed.ok() ? "" : "; " + killed.error().Describe();
}

// Why the store says the run has ended.
base::Result<std::string> StoredReason(store::Store& store, int64_t run_id) {
  constexpr size_t kMost = 1000;
  std::string reason;
  RECKON_ASSIGN(const std::vector<core::Event> events, store.ListEvents(run_id, 0, kMost));
  for (const core::Event& event : events) {
    if (event.kind != "run.state") continue;
    const base::Json detail = Parsed(event.detail).value("detail", base::Json::object());
    reason = detail.is_object() ? detail.value("reason", "") : "";
  }
  return reason;
}

// The end of a run that nobody lived to tell of.
void End(RunView& view, const core::Run& run, std::string reason) {
  view.state = run.state;
  view.reason = std::move(reason);
  view.ended_at = std::chrono::duration<double>(run.changed_at.time_since_epoch()).count();
  for (RankView& rank : view.ranks) {
    if (rank.ended) continue;
    rank.ended = true;
    rank.state = "lost";
  }
}

base::Result<core::Run> Finish(store::Store& store, const core::Run& run, RunState to,
                               const RunView& view) {
  std::vector<core::CollectedRows> samples;
  if (to == RunState::kFinished) {
    samples = SamplesOf(run.id, run.name, Parsed(run.job), Parsed(run.plan), view);
  }
  auto finished = store.FinishRun(run.id, run.state, to, Detail(view.reason), samples);
  if (finished.ok() || finished.error().code() != ErrorCode::kBadInput) return finished;
  // The rows cannot be kept (a set of that name was imported): the end itself is not lost for that.
  const std::string why = view.reason + finished.error().Describe();
  return store.FinishRun(run.id, run.state, to, Detail(why), {});
}

base::Status Move(store::Store& store, core::Run& run, RunState to, const RunView& view) {
  for (const RunState state : WayTo(run.state, to)) {
    const bool last = core::IsFinal(state);
    auto moved =
        last ? Finish(store, run, state, view)
             : store.MoveRun(run.id, run.state, state, state == to ? Detail(view.reason) : "");
    if (WasMoved(moved)) {
      RECKON_ASSIGN(run, store.FindRun(run.id));
      return {};
    }
    if (!moved.ok()) return std::move(moved).error();
    run = *std::move(moved);
  }
  return {};
}

}  // namespace

base::Result<SyncedRun> SyncRun(store::Store& store, const std::filesystem::path& db,
                                int64_t run_id, const base::Clock& clock) {
  SyncedRun synced;
  RECKON_ASSIGN(synced.run, store.FindRun(run_id));
  const act::RunFolder folder(RunFolderPath(db, run_id));
  // First whether it lives, then what it wrote: so the events of a dead one are all there.
  synced.supervised = act::SupervisorLives(folder);
  act::EventReader reader(folder.events());
  RECKON_ASSIGN(const std::vector<base::Json> events, reader.Next());
  for (const base::Json& event : events) synced.view.Add(event);
  RunView& view = synced.view;
  const bool told_end = view.state && core::IsFinal(*view.state);
  if (core::IsFinal(synced.run.state)) {
    if (told_end) return synced;
    RECKON_ASSIGN(std::string reason, StoredReason(store, run_id));
    End(view, synced.run, std::move(reason));
    return synced;
  }
  if (!told_end && !synced.supervised) {
    // A supervisor that told something was started, whatever the store has heard of it.
    const bool planned = !view.state && (synced.run.state == RunState::kQueued ||
                                         synced.run.state == RunState::kPlanning);
    if (planned && BeingPlanned(folder, synced.run, clock)) return synced;
    view.state = RunState::kFailed;
    view.reason = planned ? "reckon died before it was started"
                          : "its supervisor died; the ranks died with it";
    view.reason += RemoveLeftovers(folder);
  }
  if (view.state && *view.state != synced.run.state) {
    RECKON_TRY(Move(store, synced.run, *view.state, view));
  }
  if (!told_end && core::IsFinal(synced.run.state)) {
    std::string reason = view.reason;
    End(view, synced.run, std::move(reason));
  }
  return synced;
}

}  // namespace reckon::app
