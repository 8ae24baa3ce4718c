// The processes below a process, from /proc: who they are, and what they have used.
#pragma once

#include <cstdint>
#include <vector>

#include <sys/types.h>

namespace reckon::observe {

struct ProcessEntry {
  pid_t pid = 0;
  pid_t parent = 0;
  bool zombie = false;      // ended, and not yet waited for
  double cpu_s = 0;         // user and system, its own threads
  double waited_cpu_s = 0;  // of the children it has waited for, and theirs
};

// Every process below `root`, without `root`, parents before children. Processes that come, go or
// get another parent meanwhile may be missed: whoever wants all of them gone must ask again.
std::vector<ProcessEntry> Descendants(pid_t root);

// Memory in bytes that these processes hold now: the resident set of one; of several the sum of
// their proportional sets, which counts shared pages once.
uint64_t MemoryOf(const std::vector<ProcessEntry>& processes);

// From and to devices; also what the children did that were waited for.
struct ProcessDiskBytes {
  uint64_t read = 0;
  uint64_t written = 0;
};
ProcessDiskBytes DiskBytesOf(pid_t pid);

}  // namespace reckon::observe
