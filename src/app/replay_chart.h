// The picture of a replayed campaign: error against time spent.
#pragma once

#include <string>

#include "app/replay.h"

namespace reckon::app {

// As SVG.
std::string DrawReplay(const ReplayReport& report);

}  // namespace reckon::app
