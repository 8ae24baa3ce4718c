// The last resort: processes of a run whose supervisor and keepers were all killed at once.
#pragma once

#include <chrono>
#include <string>

#include "act/local/run_folder.h"
#include "base/result.h"

namespace reckon::act {

// Kills every process that was started with this variable in its environment (act::MarkOf), until
// none is left; how many there were. kUnavailable while a supervisor lives, whose work it is;
// kFailed when some remain after `limit`. Finds only processes of our own user, unless we are root,
// and none that was started with an empty environment.
base::Result<size_t> KillLeftovers(const RunFolder& folder, const std::string& mark,
                                   std::chrono::milliseconds limit);

}  // namespace reckon::act
