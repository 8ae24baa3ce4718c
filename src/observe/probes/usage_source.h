// Where a node's CPU, memory and disk are told.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "observe/probes/node_probe.h"

namespace reckon::observe {

class UsageSource {
 public:
  virtual ~UsageSource() = default;
  // Fills in what it knows, and leaves the rest alone.
  virtual base::Status Read(NodeCounters& counters) = 0;
};

// /proc. kIo or kCorrupt when it is not as expected.
base::Result<std::unique_ptr<UsageSource>> OpenMachineSource(const std::filesystem::path& root);
// Cgroups of version 1 or 2: each quantity is taken from the first folder that has it. kFailed
// when none counts CPU time or memory.
base::Result<std::unique_ptr<UsageSource>> OpenCgroupSource(const std::vector<std::string>& folders,
                                                            const std::filesystem::path& root);

struct MachineSize {
  double cpus = 0;
  uint64_t memory_bytes = 0;
};
base::Result<MachineSize> SizeOfMachine(const std::filesystem::path& root);

}  // namespace reckon::observe
