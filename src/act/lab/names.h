// The names of everything a lab makes. All derive from the lab's name, so that what a crash left
// behind is found without a record. A dot ends the lab's name, since no lab's name has one.
#pragma once

#include <string>

#include <fmt/format.h>

namespace reckon::act {

// The namespace with the lab's switch, and the machine's own device into it.
inline std::string SwitchName(const std::string& lab) { return "rk-" + lab; }
// A host's namespace, as `ip netns` shows it.
inline std::string NamespaceName(const std::string& lab, const std::string& host) {
  return fmt::format("rk-{}.{}", lab, host);
}
inline std::string NamespacePrefix(const std::string& lab) { return fmt::format("rk-{}.", lab); }
// A host's cgroups.
inline std::string CgroupName(const std::string& lab, const std::string& host) {
  return fmt::format("reckon-lab-{}.{}", lab, host);
}
inline std::string CgroupPrefix(const std::string& lab) {
  return fmt::format("reckon-lab-{}.", lab);
}

}  // namespace reckon::act
