#include "app/runs/machine.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <thread>

#include <unistd.h>

namespace reckon::app {

double MachineCpus() { return std::max(1U, std::thread::hardware_concurrency()); }

uint64_t MachineMemory() {
  return static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) *
         static_cast<uint64_t>(sysconf(_SC_PAGE_SIZE));
}

base::Result<uint64_t> AvailableMemory() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  uint64_t kib = 0;
  std::string unit;
  while (file >> key >> kib >> unit) {
    if (key == "MemAvailable:") return kib * 1024;
  }
  return base::Error(base::ErrorCode::kIo, "/proc/meminfo does not tell the memory that is free");
}

}  // namespace reckon::app
