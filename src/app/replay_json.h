// A replayed campaign as JSON.
#pragma once

#include "app/replay.h"
#include "base/json.h"

namespace reckon::app {

base::Json ToJson(const ReplayReport& report);

}  // namespace reckon::app
