// Catalogue: machine types that can be had, and what they cost.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reckon::core {

struct MachineType {
  std::string name;
  double cpus = 0;            // virtual ones; 0: not known
  uint64_t memory_bytes = 0;  // 0: not known
  std::string accelerator;    // "K80"; empty: none
  double accelerators = 0;
  double price_per_hour = 0;  // dollars, on demand
  std::optional<double> spot_price_per_hour;
  // Each direction. What it keeps up, and what it reaches for minutes.
  std::optional<double> bandwidth_bit_s;
  std::optional<double> burst_bit_s;
  bool for_workers = true;
  bool for_servers = true;
  std::string region;

  bool operator==(const MachineType&) const = default;
};

// Names of types as people write them elsewhere: pools of campaigns have dashes where types have
// dots.
inline bool IsSameType(std::string_view a, std::string_view b) {
  const auto plain = [](char c) { return c == '.' ? '-' : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return plain(x) == plain(y); });
}

struct Catalogue {
  std::string source;  // where the prices are from
  std::string date;    // of when they are
  std::vector<MachineType> types;
};

}  // namespace reckon::core
