#include "app/recommend/cluster_kinds.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace reckon::app {
namespace {

using base::Result;

std::string TextAt(const core::Table& table, const char* name, size_t row) {
  const auto found = table.Find(name);
  return found ? table.columns[*found].Text(row) : "";
}

Result<core::MachineType> TypeNamed(const core::Catalogue& catalogue, const std::string& name) {
  if (name.empty()) {
    return base::BadInput(
        "the campaign has no pools, whose names a catalogue could have; give its machines a "
        "--price");
  }
  std::vector<std::string> names;
  for (const core::MachineType& type : catalogue.types) {
    if (core::IsSameType(type.name, name)) return type;
    names.push_back(type.name);
  }
  return base::BadInput(
      fmt::format("the catalogue has no machine type '{}', on which the campaign "
                  "was measured{}",
                  name, base::SuggestFrom(name, names)));
}

Result<double> PoolPrice(const base::Json& document, const std::string& pool) {
  for (const base::Json& one : document.value("pools", base::Json::array())) {
    if (one.value("name", "") == pool && one.value("price_per_hour", 0.0) > 0) {
      return one.value("price_per_hour", 0.0);
    }
  }
  if (pool.empty()) {
    return base::BadInput(
        "the campaign has no pools with prices; give its machines one with --price, or a "
        "--catalogue");
  }
  return base::BadInput(
      fmt::format("pool '{}' has no price; expected one in the campaign's file, "
                  "or a --catalogue with it",
                  pool));
}

base::Status SetPrices(const CampaignSamples& samples, const PriceSource& prices,
                       const std::string& pool, ClusterKind& kind) {
  if (prices.each) {
    kind.worker_price = kind.server_price = *prices.each;
    return {};
  }
  const auto& catalogue = prices.catalogue;
  if (!catalogue) {
    RECKON_ASSIGN(kind.worker_price, PoolPrice(samples.document, pool));
    kind.server_price = kind.worker_price;  // a pool has one price
    return {};
  }
  const size_t slash = pool.find('/');
  RECKON_ASSIGN(const core::MachineType worker, TypeNamed(*catalogue, pool.substr(0, slash)));
  kind.worker_price = worker.price_per_hour;
  kind.spot_price = worker.spot_price_per_hour;
  if (slash == std::string::npos || kind.servers == 0) {
    kind.server_price = kind.worker_price;
    return {};
  }
  RECKON_ASSIGN(const core::MachineType server, TypeNamed(*catalogue, pool.substr(slash + 1)));
  kind.server_price = server.price_per_hour;
  return {};
}

}  // namespace

Result<std::vector<ClusterKind>> KindsOf(const CampaignSamples& samples,
                                         std::optional<bool> with_servers,
                                         const PriceSource& prices) {
  std::map<std::string, ClusterKind> kinds;
  for (size_t row = 0; row < samples.runs.row_count; ++row) {
    ClusterKind kind;
    kind.servers = NumberAt(samples.runs, "servers", row, 0);
    if (with_servers && (kind.servers > 0) != *with_servers) continue;
    const std::string pool = TextAt(samples.runs, "pool", row);
    if (!with_servers) kind.strategy = TextAt(samples.runs, "strategy", row);
    kind.cpus_per_worker = NumberAt(samples.runs, "cpus_per_worker", row, 1);
    const double host_cpus = NumberAt(samples.runs, "host_cpus", row, kind.cpus_per_worker);
    const std::string key = fmt::format("{}|{}|{}|{}|{}", pool, kind.cpus_per_worker, host_cpus,
                                        kind.servers, kind.strategy);
    const double workers = NumberAt(samples.runs, "workers", row, 1);
    if (const auto found = kinds.find(key); found != kinds.end()) {
      found->second.most_workers = std::max(found->second.most_workers, workers);
      continue;
    }
    kind.name = pool.empty() ? "this kind of machine" : pool;
    kind.most_workers = workers;
    kind.inputs = {{"servers", kind.servers},
                   {"cpus_per_worker", kind.cpus_per_worker},
                   {"host_cpus", host_cpus}};
    if (!pool.empty()) kind.inputs.emplace_back("pool", pool);
    if (!kind.strategy.empty()) kind.inputs.emplace_back("strategy", kind.strategy);
    RECKON_TRY(SetPrices(samples, prices, pool, kind));
    kinds.emplace(key, std::move(kind));
  }
  std::vector<ClusterKind> all;
  for (auto& [key, kind] : kinds) all.push_back(std::move(kind));
  if (!all.empty()) return all;
  return base::BadInput(
      fmt::format("campaign '{}' was measured {} parameter servers, the job is {}",
                  samples.campaign.name, with_servers.value_or(true) ? "without" : "with",
                  with_servers.value_or(true) ? "with them" : "without"));
}

}  // namespace reckon::app
