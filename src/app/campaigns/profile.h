// reckon profile: carries out a campaign. Interrupted or killed at any moment, it goes on where it
// was: nothing is measured twice, and a run that went on meanwhile is followed to its end.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/budget.h"
#include "app/campaigns/history.h"
#include "app/campaigns/points.h"
#include "app/context.h"
#include "base/json.h"
#include "base/result.h"
#include "core/run.h"

namespace reckon::app {

// Options that are given stand in place of the file's.
struct CampaignRequest {
  std::string file;
  std::string design;
  std::string criterion;
  BudgetText budget;
  std::optional<size_t> repeats;
  // A run a point and no more, however it ends; only disturbed ones are made again.
  bool once = false;
  bool keep_lab = false;  // also the one that the campaign made
};

struct PointReport {
  CampaignPoint point;
  std::vector<Attempt> attempts;
  bool again = false;                   // drawn to be measured once more than the others
  std::string state;                    // measured, measuring, failed, impossible or waiting
  std::string problem;                  // why it failed or is impossible
  std::optional<double> mean;           // of the target over what was measured undisturbed
  std::optional<double> error_of_mean;  // standard error, as a share of the mean
  std::vector<int64_t> outliers;        // runs that are far from the others of the point
};

struct CampaignReport {
  core::Campaign campaign;
  std::string target;
  std::vector<PointReport> points;
  size_t runs = 0;     // that measured something
  double seconds = 0;  // spent on all runs
  double cost = 0;     // of that, at the pools' prices and in undilated time
  std::string ended;   // why there is no more: "everything is measured", "the time is up", ...
  bool interrupted = false;
};

// Called after every run, with the report so far and the point that was measured.
using OnAttempt = std::function<void(const CampaignReport&, const PointReport&, const Attempt&)>;

// Makes who chooses the next point, from the points and their plans (null: impossible).
class NextPoint;
using NextPointMaker = std::function<base::Result<std::unique_ptr<NextPoint>>(
    const spec::CampaignFile&, const std::vector<PointReport>&, const std::vector<base::Json>&)>;

// By the file's design. kBadInput: the file, or a budget of nothing. kUnavailable: another `reckon`
// is at it.
base::Result<CampaignReport> Profile(const CampaignRequest& request, const Context& context,
                                     const OnAttempt& on_attempt);
// By a choice of one's own.
base::Result<CampaignReport> ProfileBy(const NextPointMaker& maker, const CampaignRequest& request,
                                       const Context& context, const OnAttempt& on_attempt);

base::Json ToJson(const CampaignReport& report);

}  // namespace reckon::app
