#include "spec/catalogue_file.h"

#include <array>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/units.h"
#include "spec/fields.h"
#include "spec/lab_file.h"

namespace reckon::spec {
namespace {

using base::Result;
using base::Status;

constexpr double kMostPrice = 1e6;  // an hour

Status ReadOptionalPrice(const Yaml& node, std::optional<double>& out) {
  if (!node) return {};
  RECKON_ASSIGN(out, node.Number(0, kMostPrice));
  return {};
}

Status ReadBandwidth(const Yaml& node, std::optional<double>& out) {
  if (!node) return {};
  RECKON_ASSIGN(out, ReadBitRate(node));
  return {};
}

Status ReadRole(const Yaml& node, core::MachineType& type) {
  if (!node) return {};
  RECKON_ASSIGN(const std::string role, node.Text());
  if (role != "worker" && role != "server" && role != "both") {
    return node.Wrong("worker, server or both");
  }
  type.for_workers = role != "server";
  type.for_servers = role != "worker";
  return {};
}

Result<core::MachineType> ReadType(const Yaml& node) {
  static const std::array<std::string, 11> kKeys{"name",         "cpus",  "memory", "accelerator",
                                                 "accelerators", "price", "spot",   "bandwidth",
                                                 "burst",        "role",  "region"};
  RECKON_TRY(node.AllowKeys(kKeys));
  const Fields fields(node);
  core::MachineType type;
  RECKON_ASSIGN(type.name, node["name"].Text());
  if (type.name.empty()) return node["name"].Wrong("a name");
  RECKON_TRY(fields.Number("cpus", 0, 1e5, type.cpus));
  RECKON_TRY(fields.Text("accelerator", type.accelerator));
  type.accelerators = type.accelerator.empty() ? 0 : 1;
  RECKON_TRY(fields.Number("accelerators", 0, 1e4, type.accelerators));
  RECKON_TRY(fields.Text("region", type.region));
  RECKON_ASSIGN(type.price_per_hour, node["price"].Number(0, kMostPrice));
  RECKON_TRY(ReadOptionalPrice(node["spot"], type.spot_price_per_hour));
  RECKON_TRY(ReadBandwidth(node["bandwidth"], type.bandwidth_bit_s));
  RECKON_TRY(ReadBandwidth(node["burst"], type.burst_bit_s));
  RECKON_TRY(ReadRole(node["role"], type));
  if (const Yaml memory = node["memory"]) {
    RECKON_ASSIGN(const std::string text, memory.Text());
    const auto bytes = base::ParseBytes(text);
    if (!bytes.ok()) return memory.Wrong("a size, like 16GiB");
    type.memory_bytes = *bytes;
  }
  return type;
}

}  // namespace

Result<core::Catalogue> CatalogueFromYaml(const Yaml& root) {
  static const std::array<std::string, 3> kKeys{"source", "date", "types"};
  RECKON_TRY(root.AllowKeys(kKeys));
  core::Catalogue catalogue;
  const Fields fields(root);
  RECKON_TRY(fields.Text("source", catalogue.source));
  RECKON_TRY(fields.Text("date", catalogue.date));
  const Yaml types = root["types"];
  if (!types.IsList() || types.items().empty()) return types.Wrong("a list of machine types");
  std::set<std::string> names;
  for (const Yaml& node : types.items()) {
    RECKON_ASSIGN(core::MachineType type, ReadType(node));
    if (!names.insert(type.name).second) {
      return base::BadInput(
          fmt::format("{}: there is a type '{}' already", node["name"].Place(), type.name));
    }
    catalogue.types.push_back(std::move(type));
  }
  return catalogue;
}

Result<core::Catalogue> ReadCatalogueFile(const std::filesystem::path& path) {
  RECKON_ASSIGN(const Yaml root, Yaml::ReadFile(path));
  RECKON_ASSIGN(core::Catalogue catalogue, CatalogueFromYaml(root));
  if (catalogue.source.empty()) catalogue.source = path.string();
  return catalogue;
}

}  // namespace reckon::spec
