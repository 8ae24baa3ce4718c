// reckon recommend --algorithm cost-opt|time-opt|scala-opt|scala-opt-m: FC2's recommenders.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/context.h"
#include "app/recommend/bandwidth_need.h"
#include "base/json.h"
#include "base/result.h"
#include "decide/recommend/fc2.h"

namespace reckon::app {

struct Fc2RecommendRequest {
  std::string algorithm;
  BandwidthRequest need;
  std::string catalogue;  // file; empty: Tables 1 and 2 of the paper
  std::string region;     // of its types; empty: all
  std::optional<double> hourly_budget;
  std::optional<size_t> most_workers;
  double share = 0.8;
  std::string server_type;
  std::string worker_type;
};

struct Fc2Report {
  std::string algorithm;
  std::string prices;  // source and date
  decide::Fc2Choice choice;
  std::vector<std::string> notes;
};

// Errors as of decide::RecommendFc2 and FindBandwidthNeed.
base::Result<Fc2Report> RecommendByFc2(const Fc2RecommendRequest& request, const Context& context);

base::Json ToJson(const Fc2Report& report);

}  // namespace reckon::app
