// What a search for a configuration has tried, and what it recommends: live or on a recorded table.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "decide/recommend/search.h"

namespace reckon::app {

struct SearchTrial {
  size_t row = 0;
  double seconds = 0;
  double cost = 0;
  bool ok = true;
  double expected_gain = 0;
};

struct SearchReport {
  std::string source;
  std::vector<std::string> texts;  // of every row: "machine=c4.large nodes=4"
  std::vector<SearchTrial> tried;
  double spent = 0;
  std::string ended;  // why no more was tried
  decide::Recommended chosen;
};

base::Json ToJson(const SearchReport& report);

}  // namespace reckon::app
