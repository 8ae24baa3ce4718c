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
struct HostSize {
  double cpus = 1;
  uint64_t memory_bytes = 0;
};
HostSize ThisMachine();

// kBadInput naming the option.
base::Result<StressOptions> ParseStressOptions(std::span<const std::string> arguments,
                                               const HostSize& machine);

}  // namespace reckon::observe
