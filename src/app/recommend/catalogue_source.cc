#include "app/recommend/catalogue_source.h"

#include <chrono>
#include <cmath>
#include <filesystem>
#include <map>

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "app/data.h"
#include "base/text.h"
#include "decide/prices/fc2_catalogue.h"
#include "spec/catalogue_file.h"

namespace reckon::app {
namespace {

using base::Result;

std::string DateOf(const std::string& file) {
  struct stat info {};
  if (stat(file.c_str(), &info) != 0) return "";
  std::tm day{};
  gmtime_r(&info.st_mtime, &day);
  return fmt::format("{:%Y-%m-%d}", day);
}

class SkyPilotRows {
 public:
  explicit SkyPilotRows(const core::Table& table) : table_(table) {}

  Result<core::MachineType> At(size_t row) const {
    core::MachineType type;
    type.name = Text("InstanceType", row);
    if (type.name.empty()) return Wrong(row, "InstanceType", "the name of a machine type");
    type.region = Text("Region", row);
    RECKON_ASSIGN(type.price_per_hour, Amount("Price", row));
    RECKON_ASSIGN(type.cpus, Amount("vCPUs", row));
    RECKON_ASSIGN(const double memory, Amount("MemoryGiB", row));
    type.memory_bytes = static_cast<uint64_t>(memory * 1024 * 1024 * 1024);
    type.accelerator = Text("AcceleratorName", row);
    RECKON_ASSIGN(type.accelerators, Amount("AcceleratorCount", row));
    RECKON_ASSIGN(const double spot, Amount("SpotPrice", row));
    if (spot > 0) type.spot_price_per_hour = spot;
    return type;
  }

 private:
  base::Error Wrong(size_t row, const char* column, const char* expected) const {
    return base::BadInput(fmt::format("{}: {} is '{}'; expected {}", table_.Place(row), column,
                                      Text(column, row), expected));
  }

  std::string Text(const char* name, size_t row) const {
    const auto column = table_.Find(name);
    return column ? table_.columns[*column].Text(row) : "";
  }

  // 0 where nothing is told.
  Result<double> Amount(const char* name, size_t row) const {
    const std::string text = Text(name, row);
    if (text.empty()) return 0.0;
    const auto number = base::ParseNumber(text);
    if (!number || !(*number >= 0)) return Wrong(row, name, "a number that is not below 0");
    return *number;
  }

  const core::Table& table_;
};

Result<core::Catalogue> FromSkyPilot(const std::string& file, const std::string& region,
                                     const Context& context) {
  DataRequest request;
  request.file = file;
  RECKON_ASSIGN(const core::Table table, LoadData(request, context));
  for (const char* needed : {"InstanceType", "Price"}) {
    if (table.Find(needed)) continue;
    return base::BadInput(fmt::format("{}: no column '{}'; expected SkyPilot's columns{}",
                                      table.source, needed,
                                      base::SuggestFrom(needed, table.Names())));
  }
  const SkyPilotRows rows(table);
  std::map<std::string, core::MachineType> cheapest;
  for (size_t row = 0; row < table.row_count; ++row) {
    RECKON_ASSIGN(core::MachineType type, rows.At(row));
    if (!(type.price_per_hour > 0)) continue;
    if (!region.empty() && type.region != region) continue;
    const auto [found, is_new] = cheapest.try_emplace(type.name, type);
    if (!is_new && type.price_per_hour < found->second.price_per_hour) {
      found->second = std::move(type);
    }
  }
  if (cheapest.empty()) {
    return base::BadInput(fmt::format("{}: no machine type with a price{}", table.source,
                                      region.empty() ? "" : " in region '" + region + "'"));
  }
  core::Catalogue catalogue{file, DateOf(file), {}};
  for (auto& [name, type] : cheapest) catalogue.types.push_back(std::move(type));
  return catalogue;
}

}  // namespace

Result<core::Catalogue> LoadCatalogue(const std::string& file, const std::string& region,
                                      const Context& context) {
  if (std::filesystem::path(file).extension() == ".csv") return FromSkyPilot(file, region, context);
  RECKON_ASSIGN(core::Catalogue catalogue, spec::ReadCatalogueFile(file));
  if (region.empty()) return catalogue;
  std::erase_if(catalogue.types, [&](const core::MachineType& type) {
    return !type.region.empty() && type.region != region;
  });
  if (catalogue.types.empty()) {
    return base::BadInput(fmt::format("{}: no machine type in region '{}'", file, region));
  }
  return catalogue;
}

const core::Catalogue& BuiltInCatalogue() { return decide::Fc2Catalogue(); }

namespace {

base::Json TypeJson(const core::MachineType& type) {
  const auto maybe = [](const std::optional<double>& value) {
    return value ? base::Json(*value) : base::Json();
  };
  return {{"name", type.name},
          {"cpus", type.cpus},
          {"memory_bytes", type.memory_bytes},
          {"accelerator", type.accelerator},
          {"accelerators", type.accelerators},
          {"price_per_hour", type.price_per_hour},
          {"spot_price_per_hour", maybe(type.spot_price_per_hour)},
          {"bandwidth_bit_s", maybe(type.bandwidth_bit_s)},
          {"burst_bit_s", maybe(type.burst_bit_s)},
          {"for_workers", type.for_workers},
          {"for_servers", type.for_servers},
          {"region", type.region}};
}

}  // namespace

base::Json ToJson(const core::Catalogue& catalogue) {
  base::Json json{
      {"source", catalogue.source}, {"date", catalogue.date}, {"types", base::Json::array()}};
  for (const core::MachineType& type : catalogue.types) json["types"].push_back(TypeJson(type));
  return json;
}

}  // namespace reckon::app
