// What runs have cost, and whom.
#pragma once

#include <cstdint>
#include <string>

namespace reckon::core {

// The bill of a run that is over.
struct Charge {
  int64_t run_id = 0;
  std::string user;
  std::string project;
  double dollars = 0;
};

// Of all runs of a user for a project.
struct Spend {
  std::string user;
  std::string project;
  int64_t runs = 0;
  double dollars = 0;
};

}  // namespace reckon::core
