// What this machine has.
#pragma once

#include <cstdint>

#include "base/result.h"

namespace reckon::app {

double MachineCpus();
uint64_t MachineMemory();  // bytes
// Bytes that programs can still get. kIo: the system does not tell.
base::Result<uint64_t> AvailableMemory();

}  // namespace reckon::app
