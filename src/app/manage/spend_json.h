// What runs have cost, as the service and `reckon spend` tell it.
#pragma once

#include <vector>

#include "base/json.h"
#include "core/spend.h"

namespace reckon::app {

// {"spend": [{"user", "project", "runs", "dollars"}]}
base::Json ToJson(const std::vector<core::Spend>& spend);

}  // namespace reckon::app
