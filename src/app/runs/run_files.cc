#include "app/runs/run_files.h"

#include <string>

namespace reckon::app {

std::filesystem::path RunFolderPath(const std::filesystem::path& db, int64_t run_id) {
  std::filesystem::path folder = std::filesystem::absolute(db);
  if (folder.extension() == ".db") folder.replace_extension();
  folder += ".runs";
  return folder / std::to_string(run_id);
}

}  // namespace reckon::app
