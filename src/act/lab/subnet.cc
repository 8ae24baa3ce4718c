#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>

#include <fmt/format.h>

#include "act/lab/network.h"

namespace reckon::act {
namespace {

struct Route {
  uint32_t network = 0;  // in the order of the host: 10.1.2.0 is 0x0a010200
  uint32_t mask = 0;
};

// Columns 2 and 8 of /proc/net/route, hexadecimal in the order of the network.
std::vector<Route> ParseRoutes(const std::string& text) {
  std::vector<Route> routes;
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);  // the header
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::array<std::string, 8> word;
    for (std::string& one : word) words >> one;
    if (word[7].empty()) continue;
    const auto number = [](const std::string& hex) {
      return __builtin_bswap32(static_cast<uint32_t>(std::strtoul(hex.c_str(), nullptr, 16)));
    };
    const Route route{number(word[1]), number(word[7])};
    if (route.mask != 0) routes.push_back(route);  // a default route claims no address
  }
  return routes;
}

bool Overlaps(uint32_t network, const Route& route) {
  constexpr uint32_t kMask = 0xffffff00;
  const uint32_t common = kMask & route.mask;
  return (network & common) == (route.network & common);
}

}  // namespace

base::Result<std::string> FreeSubnet(const std::string& lab, const std::string& routes,
                                     const std::vector<std::string>& taken) {
  const std::vector<Route> used = ParseRoutes(routes);
  uint32_t start = 2166136261U;  // FNV-1a, so that a lab tends to come back under its addresses
  for (const char c : lab) start = (start ^ static_cast<unsigned char>(c)) * 16777619U;
  // 10.x.y, then the range set aside for benchmarks, for machines whose VPN takes all of 10.
  constexpr uint32_t kTens = 65536;
  constexpr uint32_t kBenchmarks = 512;
  for (uint32_t i = 0; i < kTens + kBenchmarks; ++i) {
    const uint32_t network =
        i < kTens ? 0x0a000000U | (((start + i) % kTens) << 8) : 0xc6120000U | ((i - kTens) << 8);
    const std::string name =
        fmt::format("{}.{}.{}", network >> 24, (network >> 16) & 255, (network >> 8) & 255);
    if (std::any_of(used.begin(), used.end(),
                    [&](const Route& route) { return Overlaps(network, route); }) ||
        std::find(taken.begin(), taken.end(), name) != taken.end()) {
      continue;
    }
    return name;
  }
  return base::Error(base::ErrorCode::kUnavailable,
                     "no free network for the lab: all of 10.0.0.0/8 and 198.18.0.0/15 is routed");
}

}  // namespace reckon::act
