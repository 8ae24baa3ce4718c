// Another crew for the rest of a run whose budget the present one would overrun.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace reckon::watch {

struct CrewNode {
  std::string name;
  double price_per_hour = 0;  // dollars
};

// Dollars and seconds.
struct CrewFacts {
  double budget_left = 0;
  double remaining_s = 0;  // with the present crew
  double restart_s = 0;    // until another crew trains, and what is done twice
  std::vector<CrewNode> present;
  std::vector<CrewNode> free;
  // How much longer so many nodes take than the present ones. Without: as much as fewer they are,
  // which is the most, since computing is shared by fewer and exchanging becomes no more.
  std::function<double(size_t nodes)> ratio;
};

struct CheaperCrew {
  std::vector<std::string> nodes;
  double seconds = 0;  // from now on
  double cost = 0;     // from now on
};

// The fastest crew of at most as many nodes, each size of its cheapest ones, whose rest costs no
// more than what is left, and less than that of the present one; nullopt: there is none.
std::optional<CheaperCrew> FindCheaperCrew(const CrewFacts& facts);

}  // namespace reckon::watch
