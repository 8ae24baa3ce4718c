#include "app/runs/run_sync.h"

#include <array>
#include <chrono>
#include <map>
#include <queue>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "act/local/abandoned_run.h"
#include "act/local/event_file.h"
#include "act/local/run_folder.h"
#include "app/manage/managed_view.h"
#include "app/runs/run_files.h"
#include "app/runs/run_samples.h"
#include "base/json.h"

namespace reckon::app {
namespace {

using base::ErrorCode;
using core::RunState;

constexpr std::array kStates{RunState::kQueued,   RunState::kPlanning,  RunState::kTransferring,
                             RunState::kStarting, RunState::kRunning,   RunState::kRecovering,
                             RunState::kStopping, RunState::kFinishing, RunState::kFinished,
                             RunState::kFailed,   RunState::kStopped};

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

// What could not be ended, in words to add to a reason.
std::string RemoveLeftovers(const act::RunFolder& folder) {
  const std::string left = act::EndAbandonedRun(folder);
  return left.empty() ? "" : "; " + left;
}

// What the store says of the end.
struct StoredEnd {
  std::string reason;
  std::string samples;  // why they were not kept; empty: they were
};

base::Result<StoredEnd> FindStoredEnd(store::Store& store, int64_t run_id) {
  constexpr size_t kMost = 1000;
  StoredEnd end;
  RECKON_ASSIGN(const std::vector<core::Event> events, store.ListEvents(run_id, 0, kMost));
  for (const core::Event& event : events) {
    if (event.kind != "run.state") continue;
    const base::Json detail = Parsed(event.detail).value("detail", base::Json::object());
    if (!detail.is_object()) continue;
    end.reason = detail.value("reason", "");
    end.samples = detail.value("samples", "");
  }
  return end;
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
  // The rows cannot be kept: the end itself is not lost for that, and says so.
  const std::string why = base::DumpJsonLine(
      base::Json{{"reason", view.reason}, {"samples", finished.error().Describe()}});
  return store.FinishRun(run.id, run.state, to, why, {});
}

// Step by step, as the state machine allows. Several processes may do so at once, from what each of
// them has read: whoever finds that another was quicker goes on from where that one is.
base::Status Move(store::Store& store, core::Run& run, RunState to, const RunView& view) {
  while (run.state != to && !core::IsFinal(run.state)) {
    const std::vector<RunState> way = WayTo(run.state, to);
    if (way.empty()) return {};
    const RunState next = way.front();
    auto moved = core::IsFinal(next) ? Finish(store, run, next, view)
                                     : store.MoveRun(run.id, run.state, next,
                                                     next == to ? Detail(view.reason) : "");
    if (!moved.ok() && moved.error().code() == ErrorCode::kFailed) moved = store.FindRun(run.id);
    if (!moved.ok()) return std::move(moved).error();
    run = *std::move(moved);
  }
  return {};
}

}  // namespace

base::Result<bool> BeingPlanned(const StorePlace& db, const core::Run& run,
                                const base::Clock& clock) {
  if (run.state != RunState::kQueued && run.state != RunState::kPlanning) return false;
  const act::RunFolder folder(RunFolderPath(db, run.id));
  // Its supervisor was there, whatever the store has heard of it.
  std::error_code error;
  if (std::filesystem::exists(folder.lock(), error)) return false;
  // Whoever plans holds a lock; between adding the run and taking the lock nobody sees it.
  constexpr std::chrono::seconds kUnseen{10};
  RECKON_ASSIGN(const bool planned, act::SupervisorLives(PlanningFolder(folder)));
  return planned || clock.Now() - run.changed_at < kUnseen;
}

base::Result<std::string> WhyNotKept(store::Store& store, const std::string& run_name) {
  RECKON_ASSIGN(const std::vector<core::SampleSet> sets, store.ListSampleSets());
  for (const core::SampleSet& set : sets) {
    if (set.source == core::kCollected) continue;
    for (const std::string& own : SampleSetsOf(run_name)) {
      if (set.name != own) continue;
      return fmt::format(
          "the store has a set '{}' that was imported from {}; what runs of '{}' measure would go "
          "there",
          own, set.source, run_name);
    }
  }
  return std::string();
}

namespace {

bool TellsEnd(const RunView& view) { return view.state && core::IsFinal(*view.state); }

// A look at a run's folder.
struct Sight {
  bool planned = false;     // a `reckon` is about to start it
  bool started = false;     // a supervisor has been there
  bool supervised = false;  // and is
};

// Looks until nothing has changed: what is seen of a dead run is then all there is, and one that
// was born meanwhile is not taken for dead. The order in which things are asked is that in which a
// run begins, so that each answer holds for those after it.
base::Result<Sight> LookAt(const StorePlace& db, const core::Run& run, const base::Clock& clock,
                           RunView& view) {
  const act::RunFolder folder(RunFolderPath(db, run.id));
  act::EventReader reader(folder.events());
  for (;;) {
    Sight sight;
    std::error_code error;
    RECKON_ASSIGN(sight.planned, BeingPlanned(db, run, clock));
    sight.started = std::filesystem::exists(folder.lock(), error);
    RECKON_ASSIGN(sight.supervised, act::SupervisorLives(folder));
    bool news = false;
    RECKON_TRY(reader.Next([&](const base::Json& event) {
      view.Add(event);
      news = true;
    }));
    if (sight.supervised || !news || TellsEnd(view)) return sight;
  }
}

}  // namespace

namespace {

// A run whose files are not here: nobody here can tell whether it lives.
base::Status TellFromStore(store::Store& store, const std::string& where, SyncedRun& synced) {
  synced.note = where + "; this is what the store has been told";
  synced.view.state = synced.run.state;
  if (!core::IsFinal(synced.run.state)) return {};
  RECKON_ASSIGN(const StoredEnd stored, FindStoredEnd(store, synced.run.id));
  synced.view.reason = stored.reason;
  synced.view.ended_at =
      std::chrono::duration<double>(synced.run.changed_at.time_since_epoch()).count();
  return {};
}

}  // namespace

base::Result<SyncedRun> SyncRun(store::Store& store, const StorePlace& db, int64_t run_id,
                                const base::Clock& clock) {
  SyncedRun synced;
  RunView& view = synced.view;
  RECKON_ASSIGN(synced.run, store.FindRun(run_id));
  if (const auto managed = store.FindManagedRun(run_id); managed.ok()) {
    // Its manager moves it; here is only looked.
    RECKON_ASSIGN(view, ViewOfManagedRun(store, db, synced.run, *managed));
    return synced;
  } else if (managed.error().code() != base::ErrorCode::kNotFound) {
    return managed.error();
  }
  if (const std::string elsewhere = KeptElsewhere(db, synced.run); !elsewhere.empty()) {
    RECKON_TRY(TellFromStore(store, elsewhere, synced));
    return synced;
  }
  const auto sight = LookAt(db, synced.run, clock, view);
  // Not to be seen is not dead.
  if (!sight.ok()) synced.note = sight.error().Describe();
  if (core::IsFinal(synced.run.state)) {
    RECKON_ASSIGN(StoredEnd stored, FindStoredEnd(store, run_id));
    if (!stored.samples.empty()) synced.note = "what it measured was not kept: " + stored.samples;
    synced.orphaned = !TellsEnd(view);
    if (synced.orphaned) End(view, synced.run, std::move(stored.reason));
    return synced;
  }
  if (!sight.ok()) return synced;
  const bool told_end = TellsEnd(view);
  const bool was_started = view.state || sight->started;
  if (!told_end && !sight->supervised && (was_started || !sight->planned)) {
    view.state = RunState::kFailed;
    view.reason = was_started ? "its supervisor died; the ranks died with it"
                              : "reckon died before it was started";
    view.reason += RemoveLeftovers(act::RunFolder(RunFolderPath(db, run_id)));
  }
  if (view.state && *view.state != synced.run.state) {
    RECKON_TRY(Move(store, synced.run, *view.state, view));
  }
  synced.orphaned = !told_end && core::IsFinal(synced.run.state);
  if (synced.orphaned) {
    std::string reason = view.reason;
    End(view, synced.run, std::move(reason));
  }
  return synced;
}

}  // namespace reckon::app
