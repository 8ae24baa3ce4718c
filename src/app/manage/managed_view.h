// A managed run as its events tell it, gathered from the files that its parts have sent.
#pragma once

#include <filesystem>
#include <string>

#include "app/manage/managed_json.h"
#include "app/runs/run_view.h"
#include "base/result.h"
#include "core/run.h"
#include "store/store.h"

namespace reckon::app {

// Where what a part has sent is kept: "reckon.runs/7/parts/1.h0".
std::filesystem::path PartFolder(const std::filesystem::path& db, int64_t run_id, int64_t attempt,
                                 const std::string& node);

// What the ranks of the newest attempt have told.
base::Result<RunView> RanksOfManagedRun(const std::filesystem::path& db, int64_t run_id,
                                        const watch::ManagedRun& managed);

// With state, reason and times from the store.
base::Result<RunView> ViewOfManagedRun(store::Store& store, const std::filesystem::path& db,
                                       const core::Run& run, const core::ManagedRun& managed);

}  // namespace reckon::app
