// What a process and all that it has started have used.
#pragma once

#include <cstdint>

namespace reckon::observe {

struct TreeUsage {
  double wall_s = 0;
  double cpu_s = 0;                // user and system, also of those that ended
  uint64_t peak_memory_bytes = 0;  // of the tree as a whole, as far as it was looked at in time
  uint64_t bytes_sent = 0;         // over TCP, without headers and repetitions; loopback counts
  uint64_t bytes_received = 0;
  bool complete = false;  // false: what short connections carried may be missing from the bytes
  uint64_t disk_read_bytes = 0;  // from and to devices, not caches
  uint64_t disk_written_bytes = 0;
  // 95th percentiles over time; the means of those that only grow follow from the sums above.
  double cpu_p95_cores = 0;
  double memory_mean_bytes = 0;
  double memory_p95_bytes = 0;
  double sent_p95_bytes_s = 0;
  double received_p95_bytes_s = 0;
};

}  // namespace reckon::observe
