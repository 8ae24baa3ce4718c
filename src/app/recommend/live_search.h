// reckon recommend CAMPAIGN.yaml --probe K: the cheapest point of a campaign, found by measuring a
// few of them. Trials are runs of the campaign: interrupted or killed, the same command goes on.
#pragma once

#include <optional>
#include <string>

#include "app/budget.h"
#include "app/campaigns/profile.h"
#include "app/context.h"
#include "app/recommend/search_report.h"
#include "base/result.h"

namespace reckon::app {

struct LiveSearchRequest {
  std::string file;    // of the campaign: its points are the configurations
  size_t probes = 10;  // at most
  BudgetText budget;   // in place of the file's limits
  uint64_t seed = 1;
  double runs = 1000;  // how often the job will run with what is chosen
  bool keep_lab = false;
};

struct LiveSearchReport {
  CampaignReport campaign;
  // Seconds and costs as on machines that are not dilated. None: nothing was tried.
  std::optional<SearchReport> search;
};

// kBadInput: as Profile, or points without prices or with nothing to choose among.
base::Result<LiveSearchReport> LiveSearch(const LiveSearchRequest& request, const Context& context,
                                          const OnAttempt& on_attempt);

base::Json ToJson(const LiveSearchReport& report);

}  // namespace reckon::app
