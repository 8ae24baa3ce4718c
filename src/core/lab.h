// Lab: a cluster of emulated hosts on one machine. Time in it runs `dilation` times slower: every
// host gets 1/dilation of its cores and of its bandwidth, so that the ratio of computing to
// communicating, and with it every scaling curve, stays that of the real cluster.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reckon::core {

struct LabHost {
  std::string name;
  double cpus = 1;             // cores, before dilation
  uint64_t memory_bytes = 0;   // 0: no limit
  double bandwidth_bit_s = 0;  // each direction, before dilation; 0: no limit

  bool operator==(const LabHost&) const = default;
};

struct Lab {
  std::string name;
  double dilation = 1;  // >= 1
  std::vector<LabHost> hosts;

  bool operator==(const Lab&) const = default;
};

// Names become parts of network devices' names, which the kernel keeps short.
inline constexpr size_t kLongestLabName = 12;
inline constexpr size_t kLongestHostName = 15;
// Hosts share a network of 256 addresses with the machine.
inline constexpr size_t kMostLabHosts = 250;

// Letters, digits and dashes, at most `longest`, first a letter or digit.
bool IsLabWord(std::string_view name, size_t longest);

// What to say when the hosts together want more cores than the machine has: shares then are not
// kept, and the lab tells nothing. nullopt when they fit.
std::optional<std::string> CrowdingWarning(const Lab& lab, double machine_cores);

}  // namespace reckon::core
