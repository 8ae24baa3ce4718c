// The key 'background' of a job file: what runs beside the training.
#pragma once

#include <vector>

#include "base/result.h"
#include "core/job.h"
#include "spec/yaml.h"

namespace reckon::spec {

// Empty for a missing node. kBadInput with line and key.
base::Result<std::vector<core::BackgroundLoad>> ReadBackground(const Yaml& node);

}  // namespace reckon::spec
