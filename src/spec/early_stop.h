// "early_stop" of job files: when a training may end before its last epoch.
#pragma once

#include <optional>

#include "base/result.h"
#include "core/job.h"
#include "spec/yaml.h"

namespace reckon::spec {

// Nothing when the key is not there, or `false`. `epochs` that are asked for are those of the
// trainer; a command has to name them here.
base::Result<std::optional<core::EarlyStop>> ReadEarlyStop(
    const Yaml& node, const std::optional<core::TrainerJob>& trainer);

}  // namespace reckon::spec
