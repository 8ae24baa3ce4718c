// What a campaign has measured on: kinds of places that a worker can have, with their prices.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/report/samples.h"
#include "base/result.h"
#include "core/catalogue.h"
#include "core/table_builder.h"

namespace reckon::app {

struct ClusterKind {
  std::string name;      // of its machines
  core::Row inputs;      // columns that tell the kind: pool, cpus_per_worker, host_cpus, servers
  std::string strategy;  // of the trainings; empty: not told
  double cpus_per_worker = 1;
  double servers = 0;
  double worker_price = 0;  // an hour, of a machine with one worker
  double server_price = 0;
  std::optional<double> spot_price;  // of a worker's machine, where the catalogue has one
  double most_workers = 0;           // that were measured
};

// Where prices come from: `each` for every machine, or `catalogue` by the pool's name (one named
// WORKER/SERVER is of two types), or the campaign's own.
struct PriceSource {
  std::optional<double> each;
  std::optional<core::Catalogue> catalogue;
};

// The distinct kinds in the campaign's runs: those with servers, those without, or (nullopt) all of
// them by strategy. kBadInput: a kind without a price, naming it.
base::Result<std::vector<ClusterKind>> KindsOf(const CampaignSamples& samples,
                                               std::optional<bool> with_servers,
                                               const PriceSource& prices);

}  // namespace reckon::app
