// Node and DataStore: the machines that train, and where data and base models live.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace reckon::core {

// An app that shares a node with training and must keep answering in time.
struct BackgroundApp {
  std::string name;
  double deadline_s = 0;
  double latency_p95_s = 0;
};

// Shares of the node's capacity in use, 0..1.
struct NodeState {
  double cpu = 0;
  double gpu = 0;
  double memory = 0;
};

// "nano2" is a "nano", "tx2-0" a "tx2": a host's type where nobody tells another. A name of digits
// alone is its own.
inline std::string TypeOfNode(const std::string& name) {
  const size_t last = name.find_last_not_of("0123456789");
  if (last == std::string::npos) return name;
  const bool dashed = last > 0 && last + 1 < name.size() && name[last] == '-';
  return name.substr(0, dashed ? last : last + 1);
}

struct Node {
  std::string name;
  std::string machine_type;
  double cpus = 0;
  int64_t memory_bytes = 0;
  int64_t gpus = 0;
  double price_per_hour = 0;  // dollars
  NodeState state;
  std::vector<BackgroundApp> background_apps;
  int strikes = 0;
};

struct DataStore {
  std::string name;
  std::string location;
  std::map<std::string, double> transfer_s_per_sample;  // by node name
};

}  // namespace reckon::core
