#include "observe/probes/node_probe.h"

#include <chrono>

#include "observe/probes/gpu_probe.h"
#include "observe/probes/link_bytes.h"
#include "observe/probes/usage_source.h"

namespace reckon::observe {

double NodeClock() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

NodeProbe::NodeProbe() = default;
NodeProbe::~NodeProbe() = default;

base::Result<std::unique_ptr<NodeProbe>> NodeProbe::Open(const NodePlace& place,
                                                         const std::filesystem::path& root) {
  std::unique_ptr<NodeProbe> probe(new NodeProbe);
  probe->cpus_ = place.cpus;
  probe->memory_bytes_ = place.memory_bytes;
  if (place.cpus == 0 || place.memory_bytes == 0) {
    RECKON_ASSIGN(const MachineSize machine, SizeOfMachine(root));
    if (place.cpus == 0) probe->cpus_ = machine.cpus;
    if (place.memory_bytes == 0) probe->memory_bytes_ = machine.memory_bytes;
  }
  const bool whole_machine = place.cgroups.empty();
  RECKON_ASSIGN(probe->source_,
                whole_machine ? OpenMachineSource(root) : OpenCgroupSource(place.cgroups, root));
  // Devices have no account for each cgroup: without a namespace of its own it has no network.
  if (whole_machine || !place.netns.empty()) {
    RECKON_ASSIGN(probe->links_, LinkBytes::Open(place.netns));
  }
  if (whole_machine) {
    // The driver's library belongs to the real machine.
    probe->gpu_ = GpuProbe::Open(root, root == "/" ? GpuProbe::kNvmlLibrary : "");
  }
  // What cannot be read now will not be read later.
  RECKON_TRY(probe->Read());
  return probe;
}

base::Result<NodeCounters> NodeProbe::Read() {
  NodeCounters counters;
  counters.at_s = NodeClock();
  RECKON_TRY(source_->Read(counters));
  if (links_ != nullptr) {
    RECKON_ASSIGN(const LinkBytes::Totals bytes, links_->Read());
    counters.net_sent_bytes = bytes.sent;
    counters.net_received_bytes = bytes.received;
  }
  if (gpu_ != nullptr) {
    const GpuReading gpu = gpu_->Read();
    counters.gpu = gpu.share;
    counters.gpu_memory_bytes = gpu.memory_bytes;
  }
  return counters;
}

}  // namespace reckon::observe
