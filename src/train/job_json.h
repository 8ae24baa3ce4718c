// A job of the built-in trainer as JSON: what `reckon` hands to its workers.
#pragma once

#include <filesystem>

#include "base/json.h"
#include "base/result.h"
#include "core/job.h"

namespace reckon::train {

base::Json ToJson(const core::TrainerJob& job);
// kBadInput names the field that is missing or of another kind.
base::Result<core::TrainerJob> ReadTrainerJob(const base::Json& json);

base::Result<core::TrainerJob> ReadTrainerJobFile(const std::filesystem::path& path);

}  // namespace reckon::train
