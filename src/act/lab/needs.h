// What one must have and be allowed to work on labs.
#pragma once

#include <filesystem>

#include "base/result.h"

namespace reckon::act {

// A failure of a process that lacks rights or programs says what is needed and what is missing; any
// other one speaks for itself. `cgroups`: where the machine has them.
base::Error Explain(base::Error error, const std::filesystem::path& cgroups);

}  // namespace reckon::act
