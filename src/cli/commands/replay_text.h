// What profile prints of a replay.
#pragma once

#include "app/replay.h"
#include "cli/command.h"

namespace reckon::cli {

// The curve of error by time spent, and when the full grid's error was reached.
Output ReplayOutput(const app::ReplayReport& report);

}  // namespace reckon::cli
