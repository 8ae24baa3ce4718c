// Sample and SampleSet: measured outcomes as the store keeps them.
#pragma once

#include <cstdint>
#include <string>

#include "base/clock.h"
#include "core/table.h"

namespace reckon::core {

// Rows that a run of ours adds to a set of samples; the set is made when there is none.
struct CollectedRows {
  std::string set;
  Table rows;
};

// What sets of collected rows have for their source.
inline constexpr const char* kCollected = "(collected by runs)";

// A named table of outcomes, imported or collected: what models are fitted to.
struct SampleSet {
  int64_t id = 0;
  std::string name;
  std::string source;       // the file it came from
  std::string fingerprint;  // of the content, see base/fingerprint.h
  base::WallTime imported_at;
  int64_t row_count = 0;
};

}  // namespace reckon::core
