// The command line of reckon-stress.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "observe/stress/stress.h"

namespace reckon::observe {

extern const char* const kStressUsage;

// What the machine has, for what the command line does not say.
struct MachineSize {
  double cpus = 1;
  uint64_t memory_bytes = 0;
};
MachineSize ThisMachine();

// kBadInput naming the option; kFailed for a load that this machine cannot have.
base::Result<StressOptions> ParseStressOptions(std::span<const std::string> arguments,
                                               const MachineSize& machine);

}  // namespace reckon::observe
