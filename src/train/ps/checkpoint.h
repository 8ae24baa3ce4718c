// A parameter server's state in a file (train/array_file.h).
#pragma once

#include <filesystem>

#include "base/result.h"
#include "train/ps/parameter_table.h"

namespace reckon::train {

// Whole or not at all.
base::Status WriteCheckpoint(const std::filesystem::path& path,
                             const ParameterTable::Snapshot& snapshot);
// kCorrupt: not such a file, cut off, or damaged (its checksum tells). kNotFound: there is none.
base::Result<ParameterTable::Snapshot> ReadCheckpoint(const std::filesystem::path& path);

}  // namespace reckon::train
