// Runs as JSON, for --json.
#pragma once

#include "app/runs/runs.h"
#include "base/json.h"

namespace reckon::app {

base::Json ToJson(const RunReport& report);

}  // namespace reckon::app
