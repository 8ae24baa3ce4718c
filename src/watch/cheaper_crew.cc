#include "watch/cheaper_crew.h"

#include <algorithm>

namespace reckon::watch {
namespace {

constexpr double kHour = 3600;

double PriceOf(const std::vector<CrewNode>& nodes, size_t count) {
  double price = 0;
  for (size_t i = 0; i < count; ++i) price += nodes[i].price_per_hour;
  return price;
}

}  // namespace

std::optional<CheaperCrew> FindCheaperCrew(const CrewFacts& facts) {
  const size_t most = facts.present.size();
  const double going_on = facts.remaining_s * PriceOf(facts.present, most) / kHour;
  // Of equal prices those that have the files already.
  std::vector<CrewNode> nodes = facts.present;
  nodes.insert(nodes.end(), facts.free.begin(), facts.free.end());
  std::stable_sort(nodes.begin(), nodes.end(), [](const CrewNode& a, const CrewNode& b) {
    return a.price_per_hour < b.price_per_hour;
  });
  std::optional<CheaperCrew> best;
  for (size_t count = 1; count <= most; ++count) {
    const double ratio =
        facts.ratio ? facts.ratio(count) : static_cast<double>(most) / static_cast<double>(count);
    const double seconds = facts.restart_s + facts.remaining_s * ratio;
    const double cost = seconds * PriceOf(nodes, count) / kHour;
    if (cost > facts.budget_left || cost >= going_on) continue;
    if (best && seconds >= best->seconds) continue;
    best = CheaperCrew{{}, seconds, cost};
    for (size_t i = 0; i < count; ++i) best->nodes.push_back(nodes[i].name);
  }
  return best;
}

}  // namespace reckon::watch
