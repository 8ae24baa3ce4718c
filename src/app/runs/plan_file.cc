#include "app/runs/plan_file.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/runs/engine.h"
#include "base/file.h"
#include "base/json.h"
#include "base/text.h"

namespace reckon::app {
namespace {

using base::Json;
using base::Result;

// Hosts of the lab in the order in which ranks take their seats: servers first.
Result<std::string> EngineOf(const std::string& engine, const std::vector<std::string>& nodes) {
  RECKON_ASSIGN(const EngineName name, ParseEngineName(engine));
  if (name.lab.empty()) return engine;
  if (!name.hosts.empty()) {
    return base::BadInput(
        fmt::format("--on {}: the plan says on which hosts; expected lab:{}", engine, name.lab));
  }
  return fmt::format("lab:{}/{}", name.lab, base::Join(nodes, ","));
}

}  // namespace

Result<PlannedJob> ReadPlanFile(const std::string& path, const std::string& engine) {
  RECKON_ASSIGN(const std::string text, base::ReadFile(path));
  RECKON_ASSIGN(const Json plan, base::ParseJson(text, path));
  const auto wrong = [&](const std::string& expected) {
    return base::BadInput(
        fmt::format("{}: expected {}, as 'reckon schedule --out' writes it", path, expected));
  };
  if (!plan.is_object() || !plan.contains("workers") || !plan["workers"].is_array()) {
    return wrong("a plan with 'workers'");
  }
  std::vector<std::string> nodes;
  size_t servers = 0;
  const Json listed = plan.value("servers", Json::array());
  if (!listed.is_array()) return wrong("a list of 'servers'");
  for (const Json& server : listed) {
    if (!server.is_string()) return wrong("names of 'servers'");
    nodes.push_back(server.get<std::string>());
    ++servers;
  }
  std::vector<std::string> shards;
  std::vector<std::string> batches;
  for (const Json& worker : plan["workers"]) {
    const auto shard = worker.is_object() ? base::WholeAt(worker, "shard") : std::nullopt;
    if (!shard || !worker.contains("node") || !worker["node"].is_string()) {
      return wrong("workers with 'node', 'shard' and 'batch'");
    }
    if (*shard == 0) continue;  // left out
    const auto batch = base::WholeAt(worker, "batch");
    if (!batch || *batch == 0) return wrong("a 'batch' of every worker that has a shard");
    nodes.push_back(worker["node"].get<std::string>());
    shards.push_back(std::to_string(*shard));
    batches.push_back(std::to_string(*batch));
  }
  if (shards.empty()) return base::BadInput(path + ": the plan has no worker with a shard");
  PlannedJob planned;
  RECKON_ASSIGN(planned.engine, EngineOf(engine, nodes));
  planned.overrides = {{"num_nodes", std::to_string(shards.size())},
                       {"servers", std::to_string(servers)},
                       {"trainer.shards", "[" + base::Join(shards, ", ") + "]"},
                       {"trainer.batch", "[" + base::Join(batches, ", ") + "]"}};
  return planned;
}

}  // namespace reckon::app
