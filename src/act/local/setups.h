// The setup script of a run as processes, one a host.
#pragma once

#include <vector>

#include "act/launch.h"
#include "act/local/run_folder.h"

namespace reckon::act {

// In the order in which the hosts come up in the spec; none when there is no script.
std::vector<ProcessSpec> SetupsOf(const LaunchSpec& spec, const RunFolder& folder);

}  // namespace reckon::act
