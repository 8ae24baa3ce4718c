// What single processes have used so far, finely and cheaply enough to steer by.
#pragma once

#include <cstdint>
#include <map>
#include <span>

#include <sys/types.h>

namespace reckon::observe {

// CPU time of processes that may come and go. Not thread-safe.
class CpuMeter {
 public:
  // Seconds that these processes, and those of earlier calls that have ended, have used. To the
  // microsecond for processes that do not run now, and to the kernel's tick for those that do.
  double TotalS(std::span<const pid_t> processes);

 private:
  std::map<pid_t, double> last_;
};

// Bytes that these processes have had written to disks so far; 0 for those that we may not look
// into. Writes to file systems in memory do not count.
uint64_t WrittenBytes(std::span<const pid_t> processes);

}  // namespace reckon::observe
