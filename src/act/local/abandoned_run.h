// What is left of a run, or of a node's part of one, whose supervisor is dead.
#pragma once

#include <string>

#include "act/local/run_folder.h"

namespace reckon::act {

// Ends processes, and removes cgroups and reserved room. Keepers end with their supervisor: only
// what was killed together with both is still there. What could not be ended, in words; "": nothing
// is left. Not for runs with a living supervisor.
std::string EndAbandonedRun(const RunFolder& folder);

}  // namespace reckon::act
