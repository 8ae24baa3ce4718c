// LAB.yaml: the description of a lab.
//
//   name: quad
//   dilation: 5
//   hosts:
//     - {name: h, count: 4, cpus: 1, memory: 2GiB, bandwidth: 1Gbit}     h0, h1, h2, h3
#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "core/lab.h"
#include "spec/yaml.h"

namespace reckon::spec {

// "1Gbit", "2.5 Mbit", "800Kbit" -> bit/s (K = 1000).
base::Result<double> ParseBitRate(std::string_view text);
// Of a node that is there. kBadInput with its place.
base::Result<double> ReadBitRate(const Yaml& node);

// kBadInput with file, line and field. Also refuses what no kernel could hold a host to: after
// dilation less than a thousandth of a core or less than 64 Kbit/s.
base::Result<core::Lab> LabFromYaml(const Yaml& root);
base::Result<core::Lab> ReadLabFile(const std::filesystem::path& path);

}  // namespace reckon::spec
