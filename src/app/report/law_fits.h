// How much the generic law's parameters depend on where its search begins: as the paper's Tables 3
// and 4 have them.
#pragma once

#include <string>
#include <vector>

#include "app/learning.h"
#include "base/result.h"

namespace reckon::app {

inline constexpr size_t kLawFits = 10;                  // as in the paper
inline constexpr const char* kLawPenalty = "l2=0.001";  // the paper's choice

// One parameter over ten fits to all rows, each with a seed of its own.
struct LawFit {
  std::string parameter;
  double mean = 0;
  double deviation = 0;
  double l2_mean = 0;  // with the L2 penalty
  double l2_deviation = 0;
};

base::Result<std::vector<LawFit>> FitLawTenTimes(const Prepared& prepared, uint64_t seed,
                                                 std::stop_token stop);

}  // namespace reckon::app
