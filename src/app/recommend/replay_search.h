// reckon recommend --replay: the search for a configuration on a recorded table, as if its rows
// were tried live.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/context.h"
#include "base/json.h"
#include "base/result.h"
#include "decide/recommend/search.h"

namespace reckon::app {

struct ReplaySearchRequest {
  std::string file;    // configurations, hourly_price, time_s, ok
  size_t probes = 10;  // at most
  std::optional<double> max_cost;
  uint64_t seed = 1;
  double runs = 100;  // how often the job will run with what is chosen
};

struct ReplayedTrial {
  size_t row = 0;
  double seconds = 0;
  double cost = 0;
  bool ok = true;
  double expected_gain = 0;
};

struct ReplaySearchReport {
  std::string source;
  std::vector<std::string> inputs;
  std::vector<std::string> texts;  // of every row: "machine=c4.large nodes=4"
  std::vector<ReplayedTrial> tried;
  double spent = 0;
  std::string ended;  // why no more was tried
  decide::Recommended chosen;
};

// kBadInput: a table without these columns, or with values that make no sense, by line.
base::Result<ReplaySearchReport> ReplaySearch(const ReplaySearchRequest& request,
                                              const Context& context);

base::Json ToJson(const ReplaySearchReport& report);

}  // namespace reckon::app
