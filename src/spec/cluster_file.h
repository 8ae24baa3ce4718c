// CLUSTER.yaml: the nodes of a model update, their state and their apps.
//
//   name: edge
//   estimators: deep-edge          # a campaign whose estimators are asked ('reckon estimators')
//   types:                         # or what nodes of a type take
//     tx2: {forward: 5ms, backward: 20ms, update: 100ms, update_per_worker: 5ms, max_batch: 64,
//           latencies: {sift: 120ms}}
//   workers:
//     - {name: nano, count: 3, type: nano, cpu: 30%, memory: 40%, apps: {sift: 200ms}}
//     - {name: tx2, transfer: 1ms, initialise: 5s, bandwidth: 1Gbit}
//   servers:
//     - {name: pi, cpu: 20%, bandwidth: 1Gbit, apply: 2ms}
#pragma once

#include <filesystem>

#include "base/result.h"
#include "core/cluster.h"
#include "spec/yaml.h"

namespace reckon::spec {

// A node without a type has that of its name, or of its name without its number. kBadInput with
// file, line and field: also for nodes of the same name, and for no workers.
base::Result<core::Cluster> ClusterFromYaml(const Yaml& root);
base::Result<core::Cluster> ReadClusterFile(const std::filesystem::path& path);

}  // namespace reckon::spec
