// Where runs keep their files.
#pragma once

#include <cstdint>
#include <filesystem>

#include "act/local/run_folder.h"
#include "app/store_place.h"

namespace reckon::app {

// "reckon.runs/7".
std::filesystem::path RunFolderPath(const StorePlace& db, int64_t run_id);

// What the workers of the built-in trainer read.
inline std::filesystem::path TrainerFile(const std::filesystem::path& folder) {
  return folder / "trainer.json";
}

// Its lock is held by the `reckon` that plans the run, until the supervisor has the run's own.
inline act::RunFolder PlanningFolder(const act::RunFolder& folder) {
  return act::RunFolder(folder.path / "planning");
}

}  // namespace reckon::app
