#include "app/runs/program.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "act/local/keeper.h"
#include "act/local/supervisor.h"
#include "app/runs/accuracy_watch.h"
#include "app/runs/run_sync.h"
#include "base/clock.h"
#include "base/exit_code.h"
#include "base/interrupt.h"
#include "base/log.h"
#include "store/open.h"

namespace reckon::app {
namespace {

// The events have everything; whoever looks next brings the store up to date if this does not.
void TellStore(const act::LaunchSpec& spec, const act::RunFolder& folder, const base::Clock& clock,
               base::Logger& log) {
  const StorePlace place{spec.store, folder.path.parent_path()};
  store::OpenOptions options;
  options.create = false;
  auto store = store::Open(place.address(), clock, options);
  if (!store.ok()) {
    log.Warn("the store is not told of the end: " + store.error().Describe());
    return;
  }
  const auto synced = SyncRun(**store, place, spec.run_id, clock);
  if (!synced.ok()) log.Warn("the store is not told of the end: " + synced.error().Describe());
}

// A part's accuracies are a share of its run's: its manager judges them.
act::Adviser AdviserFor(const act::LaunchSpec& spec) {
  if (!spec.early_stop || !spec.part.empty()) return {};
  const auto workers =
      std::count_if(spec.processes.begin(), spec.processes.end(),
                    [](const act::ProcessSpec& one) { return one.role == act::kWorkerRole; });
  // Functions are copied; what was seen is not.
  const auto watch = std::make_shared<AccuracyWatch>(*spec.early_stop, workers);
  return [watch](const base::Json& event) { return watch->Take(event); };
}

base::Result<act::RunOutcome> Carry(const act::RunFolder& folder, base::Logger& log) {
  const base::SystemClock clock;
  // `reckon stop` and Ctrl-C may come together; the ranks must not die for that.
  const base::InterruptWatch interrupt(base::InterruptWatch::Second::kIgnored);
  RECKON_ASSIGN(const act::LaunchSpec spec, act::ReadLaunchSpec(folder));
  std::error_code error;
  const auto own = std::filesystem::read_symlink("/proc/self/exe", error);
  RECKON_ASSIGN(const act::RunOutcome outcome, act::Supervise(spec, {folder, own, AdviserFor(spec)},
                                                              clock, log, interrupt.token()));
  if (spec.part.empty())
    TellStore(spec, folder, clock, log);  // a part tells its manager, through its agent
  return outcome;
}

}  // namespace

int RunSuperviseProgram(int argc, char** argv) {
  const std::string argument = argc == 2 ? argv[1] : "";
  if (argument == act::kKeeperOption) {
    return act::RunKeeper(act::kKeeperDescriptor, base::SystemClock());
  }
  if (argument.empty() || argument[0] == '-') {
    std::fputs("usage: reckon-supervise FOLDER\n`reckon run` starts it.\n", stderr);
    return 2;
  }
  base::ExpectChildren();
  base::Logger log(base::LogLevel::kInfo);
  const auto outcome = Carry(act::RunFolder(argument), log);
  if (!outcome.ok()) {
    std::fprintf(stderr, "reckon-supervise: %s\n", outcome.error().Describe().c_str());
    return base::ExitCode(outcome.error().code());
  }
  return outcome->state == core::RunState::kFailed ? 1 : 0;
}

}  // namespace reckon::app
