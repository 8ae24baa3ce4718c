// CATALOGUE.yaml: machine types and their prices.
//
//   source: our contract
//   date: 2026-11-01
//   types:
//     - {name: m4.large, cpus: 2, memory: 8GiB, price: 0.125, bandwidth: 450Mbit, role: server}
//     - {name: p2.xlarge, cpus: 4, memory: 61GiB, accelerator: K80, accelerators: 1, price: 1.718}
#pragma once

#include <filesystem>

#include "base/result.h"
#include "core/catalogue.h"
#include "spec/yaml.h"

namespace reckon::spec {

// kBadInput with file, line and field: also for a type that is there twice, or without a price.
base::Result<core::Catalogue> CatalogueFromYaml(const Yaml& root);
base::Result<core::Catalogue> ReadCatalogueFile(const std::filesystem::path& path);

}  // namespace reckon::spec
