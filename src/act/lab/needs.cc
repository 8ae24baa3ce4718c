#include "act/lab/needs.h"

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <linux/capability.h>
#include <unistd.h>

#include "act/command.h"
#include "act/lab/cgroups.h"
#include "base/text.h"

namespace reckon::act {
namespace {

// What this process lacks to work on labs; empty: nothing that can be told beforehand.
std::vector<std::string> Missing(const std::filesystem::path& cgroups) {
  std::vector<std::string> missing;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    unsigned long long held = 0;
    if (std::sscanf(line.c_str(), "CapEff: %llx", &held) != 1) continue;
    if ((held >> CAP_NET_ADMIN & 1) == 0) missing.emplace_back("CAP_NET_ADMIN");
    if ((held >> CAP_SYS_ADMIN & 1) == 0) missing.emplace_back("CAP_SYS_ADMIN");
  }
  if (const auto groups = Cgroups::Find(cgroups); groups.ok()) {
    for (const std::string& tree : groups->FoldersOf("")) {
      if (access(tree.c_str(), W_OK) != 0) missing.push_back("the right to write in " + tree);
    }
  }
  for (const char* program : {"ip", "tc"}) {
    if (!IsInstalled(program)) missing.push_back(fmt::format("the program {}", program));
  }
  return missing;
}

}  // namespace

base::Error Explain(base::Error error, const std::filesystem::path& cgroups) {
  const std::vector<std::string> missing = Missing(cgroups);
  if (missing.empty()) return error;
  return std::move(error).Wrap(fmt::format(
      "a lab needs root, or CAP_NET_ADMIN and CAP_SYS_ADMIN, cgroups that can be written, and the "
      "programs ip and tc (package iproute2); missing here: {}",
      base::Join(missing, ", ")));
}

}  // namespace reckon::act
