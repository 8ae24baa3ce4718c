// reckon nodes: what this machine and the hosts of its labs are and use at the moment.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/context.h"
#include "base/json.h"
#include "base/result.h"
#include "observe/probes/usage_series.h"

namespace reckon::app {

struct NodeUsage {
  std::string name;           // "local" is the machine
  std::string lab;            // empty: the machine
  double cpus = 0;            // real ones: those of a lab's host after dilation
  uint64_t memory_bytes = 0;  // that it may use
  observe::UsageSummary usage;
};

// "local", "quad.h0".
std::string FullName(const NodeUsage& node);

struct NodesReport {
  std::vector<NodeUsage> nodes;       // the machine first
  std::vector<std::string> warnings;  // labs and hosts that could not be measured
};

// Takes a second. kInterrupted after the context's stop.
base::Result<NodesReport> MeasureNodes(const Context& context);

base::Json ToJson(const NodesReport& report);

}  // namespace reckon::app
