// A managed run as its events tell it, gathered from the files that its parts have sent.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "act/local/event_file.h"
#include "app/manage/managed_json.h"
#include "app/runs/run_view.h"
#include "app/store_place.h"
#include "base/result.h"
#include "core/run.h"
#include "store/store.h"

namespace reckon::app {

// Where what a part has sent is kept: "reckon.runs/7/parts/1.h0".
std::filesystem::path PartFolder(const StorePlace& db, int64_t run_id, int64_t attempt,
                                 const std::string& node);

// Those of an attempt that have sent anything, by name.
std::vector<std::filesystem::path> PartFoldersOf(const StorePlace& db, int64_t run_id,
                                                 int64_t attempt);

// What the ranks of the newest attempt have told.
base::Result<RunView> RanksOfManagedRun(const StorePlace& db, int64_t run_id,
                                        const watch::ManagedRun& managed);

// The same with state, reason and times from the store, for who looks again and again: each look
// reads what has come since the last one. Not thread-safe.
class ManagedRunReader {
 public:
  ManagedRunReader(StorePlace db, int64_t run_id) : db_(std::move(db)), run_id_(run_id) {}

  // A new attempt begins a new view.
  base::Status Next(store::Store& store, const watch::ManagedRun& managed);
  const RunView& view() const { return view_; }

 private:
  base::Status ReadStates(store::Store& store);

  StorePlace db_;
  int64_t run_id_;
  int64_t attempt_ = 0;
  std::map<std::string, act::EventReader> parts_;  // by node
  int64_t after_ = 0;                              // the last event of the store
  RunView view_;
};

// Readers of the runs that were looked at last. Thread-safe.
class ManagedViews {
 public:
  explicit ManagedViews(StorePlace db) : db_(std::move(db)) {}
  base::Result<RunView> Of(store::Store& store, const watch::ManagedRun& managed);

 private:
  static constexpr size_t kMost = 64;
  struct Entry {
    ManagedRunReader reader;
    uint64_t used = 0;
  };

  const StorePlace db_;
  std::mutex mutex_;
  std::map<int64_t, Entry> entries_;
  uint64_t looks_ = 0;
};

// With state, reason and times from the store.
base::Result<RunView> ViewOfManagedRun(store::Store& store, const StorePlace& db,
                                       const core::Run& run, const core::ManagedRun& managed);

}  // namespace reckon::app
