#include "spec/lab_file.h"

#include <array>
#include <set>

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"

namespace reckon::spec {
namespace {

using base::Result;

constexpr double kLeastShare = 0.001;  // the kernel's shortest quota (1 ms) in its longest period
constexpr double kLeastBitRate = 64'000;
constexpr double kMostBitRate = 400e9;
constexpr uint64_t kLeastMemory = 4 << 20;

Result<std::string> ReadWord(const Yaml& node, size_t longest) {
  if (node.IsScalar()) {
    RECKON_ASSIGN(std::string text, node.Text());
    if (core::IsLabWord(text, longest)) return text;
  }
  return node.Wrong(fmt::format("letters, digits and dashes, at most {}", longest));
}

Result<core::LabHost> ReadHost(const Yaml& node, double dilation) {
  static const std::array<std::string, 5> kKeys{"name", "count", "cpus", "memory", "bandwidth"};
  RECKON_TRY(node.AllowKeys(kKeys));
  core::LabHost host;
  RECKON_ASSIGN(host.name, ReadWord(node["name"], core::kLongestHostName));
  if (const Yaml cpus = node["cpus"]) {
    RECKON_ASSIGN(host.cpus, cpus.Number(0.001, 1024));
    if (host.cpus / dilation < kLeastShare) {
      return cpus.Wrong(fmt::format("at least {:.4g} cores at dilation {:.4g}",
                                    kLeastShare * dilation, dilation));
    }
  }
  if (const Yaml memory = node["memory"]) {
    RECKON_ASSIGN(const std::string text, memory.Text());
    const auto bytes = base::ParseBytes(text);
    if (!bytes.ok() || *bytes < kLeastMemory) return memory.Wrong("a size from 4MiB on, like 2GiB");
    host.memory_bytes = *bytes;
  }
  if (const Yaml bandwidth = node["bandwidth"]) {
    RECKON_ASSIGN(const std::string text, bandwidth.Text());
    const auto rate = ParseBitRate(text);
    if (!rate.ok() || *rate > kMostBitRate) {
      return bandwidth.Wrong("bits per second up to 400Gbit, like 1Gbit, 250Mbit or 64Kbit");
    }
    host.bandwidth_bit_s = *rate;
    if (host.bandwidth_bit_s / dilation < kLeastBitRate) {
      return bandwidth.Wrong(fmt::format("at least {:.4g}Kbit at dilation {:.4g}",
                                         kLeastBitRate * dilation / 1000, dilation));
    }
  }
  return host;
}

}  // namespace

Result<double> ParseBitRate(std::string_view text) {
  struct Unit {
    std::string_view name;
    double factor;
  };
  constexpr std::array kUnits{Unit{"Gbit", 1e9}, Unit{"Mbit", 1e6}, Unit{"Kbit", 1e3}};
  const std::string_view trimmed = base::Trim(text);
  for (const Unit& unit : kUnits) {
    if (!trimmed.ends_with(unit.name)) continue;
    const auto number =
        base::ParseNumber(base::Trim(trimmed.substr(0, trimmed.size() - unit.name.size())));
    if (number && *number > 0) return *number * unit.factor;
  }
  return base::BadInput(
      fmt::format("'{}' is not a bandwidth; expected e.g. 1Gbit, 250Mbit or 64Kbit", text));
}

Result<double> ReadBitRate(const Yaml& node) {
  RECKON_ASSIGN(const std::string text, node.Text());
  const auto rate = ParseBitRate(text);
  if (!rate.ok()) return node.Wrong("bits per second, like 1Gbit or 450Mbit");
  return *rate;
}

Result<core::Lab> LabFromYaml(const Yaml& root) {
  static const std::array<std::string, 3> kKeys{"name", "dilation", "hosts"};
  RECKON_TRY(root.AllowKeys(kKeys));
  core::Lab lab;
  RECKON_ASSIGN(lab.name, ReadWord(root["name"], core::kLongestLabName));
  if (const Yaml dilation = root["dilation"]) {
    RECKON_ASSIGN(lab.dilation, dilation.Number(1, 1000));
  }
  const Yaml hosts = root["hosts"];
  if (!hosts.IsList() || hosts.items().empty()) return hosts.Wrong("a list of hosts");
  std::set<std::string> names;
  for (const Yaml& node : hosts.items()) {
    RECKON_ASSIGN(const core::LabHost host, ReadHost(node, lab.dilation));
    const Yaml count = node["count"];
    int64_t copies = 1;
    if (count) {
      RECKON_ASSIGN(copies, count.Whole(1, static_cast<int64_t>(core::kMostLabHosts)));
    }
    for (int64_t i = 0; i < copies; ++i) {
      core::LabHost copy = host;
      if (count) copy.name += std::to_string(i);
      if (copy.name.size() > core::kLongestHostName) {
        return node["name"].Wrong(
            fmt::format("a name that leaves room for the number in '{}' "
                        "(at most {} letters in all)",
                        copy.name, core::kLongestHostName));
      }
      if (!names.insert(copy.name).second) {
        return base::BadInput(
            fmt::format("{}: there is a host '{}' already", node["name"].Place(), copy.name));
      }
      lab.hosts.push_back(std::move(copy));
    }
  }
  if (lab.hosts.size() > core::kMostLabHosts) {
    return base::BadInput(fmt::format("{}: expected at most {} hosts, found {}", hosts.Place(),
                                      core::kMostLabHosts, lab.hosts.size()));
  }
  return lab;
}

Result<core::Lab> ReadLabFile(const std::filesystem::path& path) {
  RECKON_ASSIGN(const Yaml root, Yaml::ReadFile(path));
  return LabFromYaml(root);
}

}  // namespace reckon::spec
