#include "app/runs/run_files.h"

#include <string>
#include <system_error>

namespace reckon::app {

std::filesystem::path RunFolderPath(const std::filesystem::path& db, int64_t run_id) {
  // Whoever comes to the store by a link finds the same runs.
  std::error_code error;
  std::filesystem::path folder = std::filesystem::weakly_canonical(db, error);
  if (error) folder = std::filesystem::absolute(db);
  if (folder.extension() == ".db") folder.replace_extension();
  folder += ".runs";
  return folder / std::to_string(run_id);
}

}  // namespace reckon::app
