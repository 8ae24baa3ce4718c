#include "core/lab.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace reckon::core {

bool IsLabWord(std::string_view name, size_t longest) {
  const auto letter_or_digit = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
  };
  return !name.empty() && name.size() <= longest && letter_or_digit(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return letter_or_digit(c) || c == '-'; });
}

std::optional<std::string> CrowdingWarning(const Lab& lab, double machine_cores) {
  double cpus = 0;
  for (const LabHost& host : lab.hosts) cpus += host.cpus;
  if (cpus / lab.dilation <= machine_cores * (1 + 1e-9)) return std::nullopt;
  // Rounded up to what people write.
  const double fitting = std::ceil(cpus / machine_cores * 10 - 1e-9) / 10;
  return fmt::format(
      "lab '{}': its hosts together want {:.3g} cores at dilation {:.3g}, this machine has {:.3g}; "
      "dilation {:.4g} would fit",
      lab.name, cpus / lab.dilation, lab.dilation, machine_cores, fitting);
}

}  // namespace reckon::core
