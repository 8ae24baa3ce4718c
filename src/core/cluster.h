// Cluster: the nodes that a model update may use, and in which state they are.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/node.h"

namespace reckon::core {

// A node that may work, and what it costs to get it to work.
struct ClusterWorker {
  Node node;
  double transfer_s_per_sample = 0;
  double initialise_s = 0;
  std::optional<double> bandwidth_bit_s = {};  // of its link, each direction
};

// A parameter server.
struct ClusterServer {
  Node node;
  std::optional<double> bandwidth_bit_s = {};
  std::optional<double> apply_s = {};  // to work a gradient in
};

// What nodes of a type take, as somebody says who has measured it elsewhere.
struct NodeTimes {
  double forward_s = 0;                          // of a sample
  double backward_s = 0;                         // of a batch
  double update_s = 0;                           // of a step: push, update and pull
  double update_s_per_worker = 0;                // more for each other worker
  int64_t max_batch = 0;                         // that its memory holds
  std::map<std::string, double> latency_s = {};  // of apps while it trains
};

struct Cluster {
  std::string name;
  std::string campaign;  // whose estimators tell of the types that `types` does not
  std::vector<ClusterWorker> workers;
  std::vector<ClusterServer> servers;
  std::map<std::string, NodeTimes> types;
};

}  // namespace reckon::core
