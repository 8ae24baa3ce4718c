#include "app/nodes.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "act/lab/lab.h"
#include "observe/probes/node_probe.h"
#include "observe/probes/usage_meter.h"

namespace reckon::app {
namespace {

using base::Json;
using base::Result;

constexpr double kStretchS = 1;
// The last reading in the stretch, and the one after it.
constexpr std::chrono::milliseconds kWait{1'200};

// Nodes to be measured, and their probes in the same order.
struct Watched {
  NodesReport report;
  std::vector<observe::MeteredNode> probes;
};

base::Status Watch(NodeUsage node, const observe::NodePlace& place, Watched& watched) {
  RECKON_ASSIGN(auto probe, observe::NodeProbe::Open(place));
  node.cpus = probe->cpus();
  node.memory_bytes = probe->memory_bytes();
  watched.probes.push_back({FullName(node), std::move(probe)});
  watched.report.nodes.push_back(std::move(node));
  return {};
}

// What cannot be measured shall not hide the others.
void WatchLab(const std::string& name, Watched& watched) {
  std::vector<std::string>& warnings = watched.report.warnings;
  const auto state = act::LabStatus(name);
  if (!state.ok()) {
    warnings.push_back(state.error().Describe());
    return;
  }
  if (!state->finished) {
    warnings.push_back(fmt::format("lab '{}' was never finished; its hosts are left out", name));
    return;
  }
  for (const act::LabHostStatus& host : state->hosts) {
    const observe::NodePlace place{host.place.netns, host.place.cgroups,
                                   host.host.cpus / state->dilation, host.host.memory_bytes};
    NodeUsage node;
    node.name = host.host.name;
    node.lab = name;
    const base::Status opened = Watch(std::move(node), place, watched);
    if (!opened.ok()) {
      warnings.push_back(
          fmt::format("lab '{}', host {}: {}", name, host.host.name, opened.error().Describe()));
    }
  }
}

// False when the user does not want to wait.
bool WaitUnlessStopped(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, kWait, [] { return false; });
  return !stop.stop_requested();
}

Json SpreadJson(const std::optional<observe::Spread>& spread) {
  if (!spread) return {};
  Json json;
  json["mean"] = spread->mean;
  json["p95"] = spread->p95;
  return json;
}

}  // namespace

std::string FullName(const NodeUsage& node) {
  return node.lab.empty() ? node.name : node.lab + "." + node.name;
}

Result<NodesReport> MeasureNodes(const Context& context) {
  Watched watched;
  NodeUsage machine;
  machine.name = "local";
  RECKON_TRY(Watch(std::move(machine), {}, watched));
  for (const std::string& lab : act::LabNames()) WatchLab(lab, watched);
  const double begin_s = observe::NodeClock();
  const observe::UsageMeter meter(std::move(watched.probes));
  if (!WaitUnlessStopped(context.stop)) {
    return base::Error(base::ErrorCode::kInterrupted, "interrupted");
  }
  NodesReport report;
  report.warnings = std::move(watched.report.warnings);
  for (NodeUsage& node : watched.report.nodes) {
    auto summary = meter.Summary(FullName(node), begin_s, begin_s + kStretchS);
    if (!summary.ok()) {
      report.warnings.push_back(summary.error().Describe());  // its lab was removed meanwhile
      continue;
    }
    node.usage = *std::move(summary);
    report.nodes.push_back(std::move(node));
  }
  return report;
}

Json ToJson(const NodesReport& report) {
  Json json;
  json["nodes"] = Json::array();
  for (const NodeUsage& node : report.nodes) {
    const observe::UsageSummary& usage = node.usage;
    Json entry;
    entry["name"] = node.name;
    entry["lab"] = node.lab.empty() ? Json() : Json(node.lab);
    entry["cpus"] = node.cpus;
    entry["memory_bytes"] = node.memory_bytes;
    entry["measured_s"] = usage.covered_s;
    entry["cpu"] = SpreadJson(usage.cpu);
    entry["memory"] = SpreadJson(usage.memory);
    entry["memory_used_bytes"] = SpreadJson(usage.memory_bytes);
    entry["steal_cores"] = SpreadJson(usage.steal_cores);
    entry["interrupt_cores"] = SpreadJson(usage.interrupt_cores);
    entry["disk_read_bytes_s"] = SpreadJson(usage.disk_read_bytes_s);
    entry["disk_written_bytes_s"] = SpreadJson(usage.disk_written_bytes_s);
    entry["net_sent_bytes_s"] = SpreadJson(usage.net_sent_bytes_s);
    entry["net_received_bytes_s"] = SpreadJson(usage.net_received_bytes_s);
    entry["gpu"] = SpreadJson(usage.gpu);
    entry["gpu_memory_bytes"] = SpreadJson(usage.gpu_memory_bytes);
    json["nodes"].push_back(std::move(entry));
  }
  json["warnings"] = report.warnings;
  return json;
}

}  // namespace reckon::app
