#include "app/runs/runs.h"

#include <algorithm>
#include <chrono>
#include <stop_token>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "act/local/event_file.h"
#include "act/local/run_folder.h"
#include "app/data.h"
#include "app/runs/run_files.h"
#include "app/runs/run_sync.h"
#include "base/text.h"

namespace reckon::app {
namespace {

using base::Error;
using base::ErrorCode;

constexpr std::chrono::milliseconds kLook{100};

double SecondsNow(const Context& context) {
  return std::chrono::duration<double>(context.clock.Now().time_since_epoch()).count();
}

base::Result<int64_t> RunNumber(const std::string& run, store::Store& store,
                                const Context& context) {
  if (run.empty() || run == "last") {
    RECKON_ASSIGN(const std::vector<core::Run> newest, store.ListRuns(1, std::nullopt));
    if (!newest.empty()) return newest.front().id;
    return Error(ErrorCode::kNotFound, fmt::format("store '{}' has no runs", context.db.string()));
  }
  const auto number = base::ParseInteger(run);
  if (number && *number > 0) return *number;
  return base::BadInput(fmt::format("'{}' is no run; expected its number, or last", run));
}

base::Result<RunReport> Report(store::Store& store, int64_t id, const Context& context) {
  RECKON_ASSIGN(SyncedRun synced, SyncRun(store, context.db, id, context.clock));
  auto forecast = ForecastOf(synced.run, synced.view);
  return RunReport{std::move(synced.run), std::move(synced.view), std::move(forecast),
                   RunFolderPath(context.db, id).string(), SecondsNow(context)};
}

// The bar over all workers' images. Workers that are lost take their part with them, so the whole
// may shrink.
class ProgressBar {
 public:
  explicit ProgressBar(base::Progress& progress) : progress_(progress) {}
  ~ProgressBar() {
    if (total_ > 0) progress_.End();
  }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void Show(const RunView& view, double now) {
    const RunView::Progress state = view.WorkersProgress(now);
    if (state.total <= 0) return;
    const auto total = static_cast<uint64_t>(state.total);
    if (total != total_) {
      if (total_ > 0) progress_.End();
      progress_.Begin("training", total);
      total_ = total;
      shown_ = 0;
    }
    const auto done = static_cast<uint64_t>(state.done);
    if (done > shown_) progress_.Advance(done - shown_);
    shown_ = std::max(shown_, done);
  }

 private:
  base::Progress& progress_;
  uint64_t total_ = 0;
  uint64_t shown_ = 0;
};

}  // namespace

base::Result<RunReport> FollowRun(int64_t run_id, const Context& context) {
  const act::RunFolder folder(RunFolderPath(context.db, run_id));
  bool asked = false;
  // At once, since a second Ctrl-C ends this process; what goes wrong shows when it is asked again.
  const std::stop_callback ask(context.stop, [&folder] { (void)act::RequestStop(folder); });
  {
    ProgressBar bar(context.progress);
    RunView view;
    act::EventReader reader(folder.events());
    while (true) {
      const bool lives = act::SupervisorLives(folder);
      RECKON_ASSIGN(const std::vector<base::Json> events, reader.Next());
      for (const base::Json& event : events) view.Add(event);
      bar.Show(view, SecondsNow(context));
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

base::Result<RunReport> StopRun(const std::string& run, const Context& context) {
  RECKON_ASSIGN(const auto store, OpenStore(context, false));
  RECKON_ASSIGN(const int64_t id, RunNumber(run, *store, context));
  RECKON_ASSIGN(const RunReport before, Report(*store, id, context));
  if (core::IsFinal(before.run.state)) {
    return base::BadInput(
        fmt::format("run {} is {} already", id, core::RunStateName(before.run.state)));
  }
  const act::RunFolder folder(RunFolderPath(context.db, id));
  const base::Status asked = act::RequestStop(folder);
  // One that ended in between is as stopped as it can be.
  if (!asked.ok() && asked.error().code() != ErrorCode::kNotFound) return asked.error();
  while (act::SupervisorLives(folder)) {
    if (context.stop.stop_requested()) {
      return Error(ErrorCode::kInterrupted,
                   fmt::format("run {} was asked to stop; not waited for", id));
    }
    std::this_thread::sleep_for(kLook);
  }
  return Report(*store, id, context);
}

}  // namespace reckon::app
