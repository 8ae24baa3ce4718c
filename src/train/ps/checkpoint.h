// A parameter server's state in a file (train/array_file.h).
#pragma once

#include <filesystem>

#include "base/result.h"
#include "train/ps/parameter_table.h"

namespace reckon::train {

// Whole or not at all.
base::Status WriteCheckpoint(const std::filesystem::path& path,
                             const ParameterTable::Snapshot& snapshot);
// The same, and what was in `path` is kept beside it. Servers of a synchronous run do not write at
// the same moment: the last but one is what all have when the last one is not everybody's.
base::Status WriteNextCheckpoint(const std::filesystem::path& path,
                                 const ParameterTable::Snapshot& snapshot);
// kCorrupt: not such a file, cut off, or damaged (its checksum tells). kNotFound: there is none.
base::Result<ParameterTable::Snapshot> ReadCheckpoint(const std::filesystem::path& path);

struct KeptCheckpoint {
  std::filesystem::path file;
  ParameterTable::Snapshot snapshot;
};
// What WriteNextCheckpoint left, the newest first; none, one or two.
base::Result<std::vector<KeptCheckpoint>> ReadLastCheckpoints(const std::filesystem::path& path);
// Forgets those after the one in `file`, which becomes the newest: only so do the next ones of all
// servers follow the same.
base::Status GoBackTo(const std::filesystem::path& file, const std::filesystem::path& path);

}  // namespace reckon::train
