#include "app/runs/run_files.h"

#include <string>

namespace reckon::app {

std::filesystem::path RunFolderPath(const StorePlace& db, int64_t run_id) {
  return db.RunsFolder() / std::to_string(run_id);
}

}  // namespace reckon::app
