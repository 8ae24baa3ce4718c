// Job and Shape: what is trained, and where.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace reckon::core {

// What is trained: the built-in trainer (`network` set) or the user's command (`command` set).
struct Job {
  std::string name;
  std::string network;
  std::string command;
  std::string data_set;
  std::map<std::string, std::string> hyper_parameters;
  std::optional<int64_t> epochs;
  std::optional<double> target_accuracy;  // 0..1
};

enum class Strategy { kAllReduce, kAsyncParameterServer, kSyncParameterServer };

const char* StrategyName(Strategy strategy);

// Where it is trained.
struct Shape {
  std::string engine;        // "local", "slurm", ...
  std::string machine_type;  // a name of the catalogue
  int64_t workers = 1;
  double cpus_per_worker = 1;
  int64_t parameter_servers = 0;
  Strategy strategy = Strategy::kAllReduce;
};

}  // namespace reckon::core
