#include "act/local/setups.h"

#include <set>
#include <utility>

namespace reckon::act {

std::vector<ProcessSpec> SetupsOf(const LaunchSpec& spec, const RunFolder& folder) {
  std::vector<ProcessSpec> setups;
  std::set<std::string> hosts;
  for (const ProcessSpec& process : spec.processes) {
    if (spec.setup.empty() || !hosts.insert(process.place.host).second) continue;
    ProcessSpec setup;
    setup.role = "setup";
    setup.index = static_cast<int64_t>(setups.size());
    setup.argv = {"/bin/sh", "-c", spec.setup};
    setup.env = spec.setup_env;
    setup.workdir = spec.setup_workdir;
    setup.place = process.place;
    setup.sandbox = spec.setup_sandbox;
    setup.log = folder.setup_log(process.place.host).filename().string();
    setups.push_back(std::move(setup));
  }
  return setups;
}

}  // namespace reckon::act
