#include "spec/cluster_file.h"

#include <array>
#include <set>

#include <fmt/format.h>

#include "spec/fields.h"
#include "spec/lab_file.h"

namespace reckon::spec {
namespace {

using base::Result;
using base::Status;

constexpr int64_t kMostCopies = 100'000;

Status ReadDurations(const Yaml& node, std::map<std::string, double>& out) {
  if (node && !node.IsMap()) return node.Wrong("names and durations, like {sift: 200ms}");
  for (const auto& [name, value] : node.entries()) {
    RECKON_TRY(Fields(node).Duration(name.c_str(), out[name]));
    if (out[name] <= 0) return value.Wrong("a duration above 0");
  }
  return {};
}

Result<core::NodeTimes> ReadTimes(const Yaml& node) {
  static const std::array<std::string, 6> kKeys{"forward",           "backward",  "update",
                                                "update_per_worker", "max_batch", "latencies"};
  RECKON_TRY(node.AllowKeys(kKeys));
  core::NodeTimes times;
  const Fields fields(node);
  RECKON_TRY(fields.Duration("forward", times.forward_s));
  if (!(times.forward_s > 0)) return node["forward"].Wrong("a duration above 0, of one sample");
  RECKON_TRY(fields.Duration("backward", times.backward_s));
  RECKON_TRY(fields.Duration("update", times.update_s));
  RECKON_TRY(fields.Duration("update_per_worker", times.update_s_per_worker));
  RECKON_ASSIGN(times.max_batch, node["max_batch"].Whole(1, kMostCount));
  RECKON_TRY(ReadDurations(node["latencies"], times.latency_s));
  return times;
}

Status ReadNode(const Yaml& map, core::Node& node) {
  const Fields fields(map);
  RECKON_ASSIGN(node.name, map["name"].Text());
  if (node.name.empty()) return map["name"].Wrong("a name");
  RECKON_TRY(fields.Text("type", node.machine_type));
  RECKON_TRY(fields.Percent("cpu", 1, node.state.cpu));
  RECKON_TRY(fields.Percent("gpu", 1, node.state.gpu));
  RECKON_TRY(fields.Percent("memory", 1, node.state.memory));
  std::map<std::string, double> deadlines;
  RECKON_TRY(ReadDurations(map["apps"], deadlines));
  for (const auto& [name, deadline_s] : deadlines) {
    node.background_apps.push_back({name, deadline_s, 0});
  }
  return {};
}

Status ReadOptionalBitRate(const Yaml& node, std::optional<double>& out) {
  if (!node) return {};
  RECKON_ASSIGN(out, ReadBitRate(node));
  return {};
}

Result<core::ClusterWorker> ReadWorker(const Yaml& map) {
  static const std::array<std::string, 10> kKeys{"name",       "count",    "type", "cpu",
                                                 "gpu",        "memory",   "apps", "transfer",
                                                 "initialise", "bandwidth"};
  RECKON_TRY(map.AllowKeys(kKeys));
  core::ClusterWorker worker;
  RECKON_TRY(ReadNode(map, worker.node));
  const Fields fields(map);
  RECKON_TRY(fields.Duration("transfer", worker.transfer_s_per_sample));
  RECKON_TRY(fields.Duration("initialise", worker.initialise_s));
  RECKON_TRY(ReadOptionalBitRate(map["bandwidth"], worker.bandwidth_bit_s));
  return worker;
}

class ClusterReader {
 public:
  explicit ClusterReader(core::Cluster& cluster) : cluster_(cluster) {}

  Status ReadWorkers(const Yaml& list) {
    if (!list.IsList() || list.items().empty()) return list.Wrong("a list of workers");
    for (const Yaml& map : list.items()) {
      RECKON_ASSIGN(const core::ClusterWorker worker, ReadWorker(map));
      int64_t copies = 1;
      RECKON_TRY(Fields(map).Whole("count", 1, kMostCopies, copies));
      for (int64_t i = 0; i < copies; ++i) {
        core::ClusterWorker copy = worker;
        if (map["count"]) copy.node.name += std::to_string(i);
        RECKON_TRY(Finish(map, copy.node));
        cluster_.workers.push_back(std::move(copy));
      }
    }
    return {};
  }

  Status ReadServers(const Yaml& list) {
    static const std::array<std::string, 7> kKeys{"name",   "type",      "cpu",  "gpu",
                                                  "memory", "bandwidth", "apply"};
    if (list && !list.IsList()) return list.Wrong("a list of servers");
    for (const Yaml& map : list.items()) {
      RECKON_TRY(map.AllowKeys(kKeys));
      core::ClusterServer server;
      RECKON_TRY(ReadNode(map, server.node));
      RECKON_TRY(ReadOptionalBitRate(map["bandwidth"], server.bandwidth_bit_s));
      if (map["apply"]) RECKON_TRY(Fields(map).Duration("apply", server.apply_s.emplace()));
      RECKON_TRY(Finish(map, server.node));
      cluster_.servers.push_back(std::move(server));
    }
    return {};
  }

 private:
  Status Finish(const Yaml& map, core::Node& node) {
    if (node.machine_type.empty()) {
      RECKON_ASSIGN(const std::string written, map["name"].Text());
      node.machine_type = cluster_.types.contains(written) ? written : core::TypeOfNode(node.name);
    }
    if (names_.insert(node.name).second) return {};
    return base::BadInput(
        fmt::format("{}: there is a node '{}' already", map["name"].Place(), node.name));
  }

  core::Cluster& cluster_;
  std::set<std::string> names_;
};

}  // namespace

Result<core::Cluster> ClusterFromYaml(const Yaml& root) {
  static const std::array<std::string, 5> kKeys{"name", "estimators", "types", "workers",
                                                "servers"};
  RECKON_TRY(root.AllowKeys(kKeys));
  core::Cluster cluster;
  const Fields fields(root);
  RECKON_TRY(fields.Text("name", cluster.name));
  RECKON_TRY(fields.Text("estimators", cluster.campaign));
  if (root["types"] && !root["types"].IsMap()) return root["types"].Wrong("names and times");
  for (const auto& [name, node] : root["types"].entries()) {
    RECKON_ASSIGN(cluster.types[name], ReadTimes(node));
  }
  ClusterReader reader(cluster);
  RECKON_TRY(reader.ReadWorkers(root["workers"]));
  RECKON_TRY(reader.ReadServers(root["servers"]));
  return cluster;
}

Result<core::Cluster> ReadClusterFile(const std::filesystem::path& path) {
  RECKON_ASSIGN(const Yaml root, Yaml::ReadFile(path));
  return ClusterFromYaml(root);
}

}  // namespace reckon::spec
