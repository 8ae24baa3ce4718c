#include "core/job.h"

#include <array>
#include <utility>

namespace reckon::core {
namespace {

constexpr std::array<std::pair<Strategy, const char*>, 3> kStrategyNames{{
    {Strategy::kAllReduce, "all-reduce"},
    {Strategy::kAsyncParameterServer, "async-ps"},
    {Strategy::kSyncParameterServer, "sync-ps"},
}};

}  // namespace

const char* StrategyName(Strategy strategy) {
  for (const auto& [known, name] : kStrategyNames) {
    if (known == strategy) return name;
  }
  return "unknown";
}

std::optional<Strategy> ParseStrategy(std::string_view name) {
  for (const auto& [strategy, known] : kStrategyNames) {
    if (known == name) return strategy;
  }
  return std::nullopt;
}

std::vector<std::string> StrategyNames() {
  std::vector<std::string> names;
  for (const auto& [strategy, name] : kStrategyNames) names.emplace_back(name);
  return names;
}

}  // namespace reckon::core
