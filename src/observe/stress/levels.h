// How much of a host a background load shall use, and how much it does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace reckon::observe {

// 0: nothing of it.
struct StressLevels {
  double cpu = 0;               // share of `cpus`, 0 to 1
  double cpus = 1;              // real cores that the host may use
  uint64_t memory_bytes = 0;    // resident
  double disk_bytes_per_s = 0;  // written
  double gpu = 0;               // share of the machine's, 0 to 1

  bool none() const { return cpu == 0 && memory_bytes == 0 && disk_bytes_per_s == 0 && gpu == 0; }
};

// What all processes of the load used, over the last second or so.
struct StressReading {
  double cpu = 0;  // share of `cpus`
  uint64_t memory_bytes = 0;
  double disk_bytes_per_s = 0;
  double gpu = 0;  // that of others on it too
};

// What is not yet as it shall be: "cpu 41.0 % instead of 60.0 %, disk ..."; "" when nothing is.
std::string Missed(const StressLevels& levels, const StressReading& reading);

// The levels that are asked for, in columns of fixed width: "cpu  60.1 %   disk    20.0 MB/s".
std::string DescribeReading(const StressLevels& levels, const StressReading& reading);

}  // namespace reckon::observe
