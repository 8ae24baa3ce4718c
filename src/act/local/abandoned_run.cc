#include "act/local/abandoned_run.h"

#include <chrono>

#include <unistd.h>

#include "act/local/leftovers.h"
#include "act/local/rank_cgroup.h"
#include "act/local/supervisor.h"

namespace reckon::act {

std::string EndAbandonedRun(const RunFolder& folder) {
  constexpr std::chrono::seconds kLimit{5};
  unlink(folder.reserve().c_str());
  const auto spec = ReadLaunchSpec(folder);
  if (!spec.ok()) return "";  // without a spec nothing was started
  const auto killed = KillLeftovers(folder, MarkOf(*spec), kLimit);
  RemoveAbandonedRankCgroups(*spec);
  return killed.ok() ? "" : killed.error().Describe();
}

}  // namespace reckon::act
