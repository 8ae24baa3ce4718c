// Brings what the store knows about a run up to what its folder tells.
#pragma once

#include <filesystem>

#include "app/runs/run_view.h"
#include "base/clock.h"
#include "base/result.h"
#include "core/run.h"
#include "store/store.h"

namespace reckon::app {

struct SyncedRun {
  core::Run run;
  RunView view;
  bool supervised = false;  // somebody looks after it right now
};

// Reads the run's events, moves its state in the store, and when it has ended stores its samples;
// a run whose supervisor died before its end has failed. Several processes may do so at once: what
// one has done, the others find done. kNotFound: no such run.
base::Result<SyncedRun> SyncRun(store::Store& store, const std::filesystem::path& db,
                                int64_t run_id, const base::Clock& clock);

}  // namespace reckon::app
