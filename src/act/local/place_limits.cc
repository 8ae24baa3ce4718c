#include "act/local/place_limits.h"

#include <filesystem>
#include <fstream>
#include <optional>

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"

namespace reckon::act {
namespace {

// Version 2 has the first two.
constexpr const char* kLimitFiles[] = {"cpu.max", "memory.max", "cpu.cfs_quota_us",
                                       "cpu.cfs_period_us", "memory.limit_in_bytes"};

std::optional<std::string> ReadLimit(const std::string& file) {
  std::ifstream stream(file);
  std::string line;
  if (!std::getline(stream, line)) return std::nullopt;
  return line;
}

std::map<std::string, std::string> ReadLimits(const Place& place) {
  std::map<std::string, std::string> limits;
  for (const std::string& folder : place.cgroups) {
    for (const char* name : kLimitFiles) {
      const std::string file = fmt::format("{}/{}", folder, name);
      if (const auto limit = ReadLimit(file)) limits[file] = *limit;
    }
  }
  return limits;
}

uint64_t MemoryKills(const Place& place) {
  uint64_t kills = 0;
  for (const std::string& folder : place.cgroups) {
    for (const char* name : {"memory.events", "memory.oom_control"}) {
      std::ifstream file(fmt::format("{}/{}", folder, name));
      std::string key;
      uint64_t count = 0;
      while (file >> key >> count) {
        if (key == "oom_kill") kills += count;
      }
    }
  }
  return kills;
}

}  // namespace

PlaceLimits::PlaceLimits(const Place& place)
    : place_(place), limits_(ReadLimits(place)), memory_kills_(MemoryKills(place)) {}

std::string PlaceLimits::Changed() const {
  const auto now = ReadLimits(place_);
  for (const auto& [file, limit] : limits_) {
    const auto found = now.find(file);
    if (found == now.end()) return file + " is gone";
    if (found->second != limit) {
      return fmt::format("{} is '{}' instead of '{}'", file, found->second, limit);
    }
  }
  return "";
}

std::string PlaceLimits::OutOfMemory() const {
  if (MemoryKills(place_) <= memory_kills_) return "";
  std::string limit;
  for (const auto& [file, text] : limits_) {
    const auto bytes = base::ParseInteger(text);
    const bool memory = std::filesystem::path(file).filename().string().starts_with("memory.");
    if (memory && bytes && *bytes > 0) {
      limit = " of " + base::FormatBytes(static_cast<uint64_t>(*bytes));
    }
  }
  return fmt::format("host {} ran out of its memory{}", place_.host, limit);
}

}  // namespace reckon::act
