// How to choose among the terms that a feature set makes.
#pragma once

#include <string>

#include "base/result.h"

namespace reckon::learn {

struct TermSelection {
  enum class Way {
    kNone,
    kForward,     // one after the other, by the error of least squares on left-out rows
    kImportance,  // by their share of what boosted trees gain from them
  };
  Way way = Way::kNone;
  int most_terms = 0;        // 0: no limit of its own
  double gain_share = 0.95;  // kImportance: of the total gain that the chosen terms must reach

  bool operator==(const TermSelection&) const = default;
};

// "none", "forward", "importance".
const char* SelectionWayName(TermSelection::Way way);

// "forward", "importance" or "importance=0.9" (a share above 0 and up to 1), "none".
base::Result<TermSelection> ParseTermSelection(const std::string& text);

}  // namespace reckon::learn
