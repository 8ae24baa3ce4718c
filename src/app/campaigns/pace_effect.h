// What the pace of processors (observe/probes/core_pace.h) did to the times of a campaign, learned
// from repeats of the same point, and times as they would have been at the usual pace.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/campaigns/history.h"
#include "app/campaigns/repeat_noise.h"
#include "base/json.h"
#include "core/table.h"

namespace reckon::app {

struct PaceEffect {
  std::string column;   // of times
  double power = 0;     // times grow as pace^power
  double usual_us = 0;  // the median pace of the runs
  RepeatNoise before;
  RepeatNoise after;
};

// Divides the times in `table` (rows of runs or of hosts) by what the pace of their run explains:
// time * (usual / pace)^power, a power for each column, by least squares over the logarithms of
// repeats (repeat_noise.h). Only where at least ten repeats tell it and it explains a fifth of
// their variance; rows of runs without a pace stay as they are. The same columns of `alike`, with
// rows of the same runs, are divided with them. What was done, a column each.
std::vector<PaceEffect> AdjustToUsualPace(const History& history, core::Table& table,
                                          core::Table* alike = nullptr);

// One sentence for people; empty when nothing was done.
std::string PaceText(const std::vector<PaceEffect>& effects);
base::Json ToJson(const PaceEffect& effect);

}  // namespace reckon::app
