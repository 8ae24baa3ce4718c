#include "act/agents/lab_seat.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>
#include <unistd.h>

#include "act/lab/lab.h"
#include "act/lab/network.h"
#include "base/file.h"
#include "base/text.h"
#include "core/node.h"
#include "net/net_namespace.h"
#include "observe/probes/node_probe.h"

namespace reckon::act {

base::Result<NodeSeat> MachineSeat(const std::string& address) {
  RECKON_ASSIGN(const auto probe, observe::NodeProbe::Open({}));
  NodeSeat seat;
  seat.node.cpus = probe->cpus();
  seat.node.memory_bytes = probe->memory_bytes();
  seat.node.address = address;
  return seat;
}

base::Result<NodeSeat> JoinLabHost(const std::string& lab, const std::string& host) {
  RECKON_ASSIGN(const LabState state, LabStatus(lab));
  if (!state.finished) {
    return base::Error(
        base::ErrorCode::kFailed,
        fmt::format("lab '{}' was never finished; 'reckon lab down {}' removes it", lab, lab));
  }
  const auto found = std::find_if(state.hosts.begin(), state.hosts.end(),
                                  [&](const LabHostStatus& one) { return one.host.name == host; });
  if (found == state.hosts.end()) {
    std::vector<std::string> names;
    for (const LabHostStatus& one : state.hosts) names.push_back(one.host.name);
    return base::Error(
        base::ErrorCode::kNotFound,
        fmt::format("lab '{}' has no host '{}'{}", lab, host, base::SuggestFrom(host, names)));
  }
  if (!found->deviation.empty()) {
    return base::Error(base::ErrorCode::kFailed, DeviationText(lab, *found));
  }
  for (const std::string& cgroup : found->place.cgroups) {
    RECKON_TRY(base::WriteControl(std::filesystem::path(cgroup) / "cgroup.procs",
                                  std::to_string(getpid())));
  }
  RECKON_TRY(net::EnterNamespace(found->place.netns));
  NodeSeat seat;
  seat.node.name = host;
  seat.node.type = core::TypeOfNode(host);
  seat.node.cpus = found->host.cpus;
  seat.node.memory_bytes = found->host.memory_bytes;
  seat.node.address = found->place.address;
  seat.node.device = kHostDevice;
  seat.node.dilation = state.dilation;
  seat.place = found->place;
  seat.place.cpus = found->host.cpus / state.dilation;
  seat.place.memory_bytes = found->host.memory_bytes;
  return seat;
}

}  // namespace reckon::act
