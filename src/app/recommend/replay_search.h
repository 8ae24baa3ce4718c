// reckon recommend --replay: the search for a configuration on a recorded table, as if its rows
// were tried live.
#pragma once

#include <optional>
#include <string>

#include "app/context.h"
#include "app/recommend/search_report.h"
#include "base/result.h"

namespace reckon::app {

struct ReplaySearchRequest {
  std::string file;    // configurations, hourly_price, time_s, ok
  size_t probes = 10;  // at most
  std::optional<double> max_cost;
  uint64_t seed = 1;
  double runs = 1000;  // how often the job will run with what is chosen
};

// kBadInput: a table without these columns, or with values that make no sense, by line.
base::Result<SearchReport> ReplaySearch(const ReplaySearchRequest& request, const Context& context);

}  // namespace reckon::app
