// Brings what the store knows about a run up to what its folder tells.
#pragma once

#include "app/runs/run_view.h"
#include "app/store_place.h"
#include "base/clock.h"
#include "base/result.h"
#include "core/run.h"
#include "store/store.h"

namespace reckon::app {

struct SyncedRun {
  core::Run run;
  RunView view;
  // What somebody should know besides: that its folder cannot be read, or its samples not be kept.
  std::string note;
  // It has ended, but nobody of its own told so: its supervisor, or who was about to start it,
  // died.
  bool orphaned = false;
};

// Reads the run's events, moves its state in the store, and when it has ended stores its samples;
// a run whose supervisor died before its end has failed. Several processes may do so at once: what
// one has done, the others find done. Of a run that keeps its files
// elsewhere only what the store knows is told. kNotFound: no such run.
base::Result<SyncedRun> SyncRun(store::Store& store, const StorePlace& db, int64_t run_id,
                                const base::Clock& clock);

// Whether a `reckon` is about to start it: it is in the store, its supervisor is not yet.
base::Result<bool> BeingPlanned(const StorePlace& db, const core::Run& run,
                                const base::Clock& clock);

// Why the rows of a run named so could not be kept: a set of their name was imported. "": they can.
base::Result<std::string> WhyNotKept(store::Store& store, const std::string& run_name);

}  // namespace reckon::app
