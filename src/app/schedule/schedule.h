// reckon schedule: shards and batches of a model update on nodes that others use too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/context.h"
#include "app/schedule/model_update.h"
#include "base/json.h"
#include "base/result.h"
#include "core/cluster.h"
#include "decide/schedule/schedule.h"

namespace reckon::app {

struct ScheduleRequest {
  ModelUpdateFiles update;
  std::string policy = "reckon";
  std::string out;  // the plan as JSON; empty: none
};

struct ScheduleReport {
  core::Cluster cluster;
  std::string job;
  int64_t samples = 0;
  int64_t epochs = 0;
  decide::SchedulePlan plan;
  std::vector<std::string> notes;
  std::string out;
};

// kBadInput: files that are wrong, types of which nothing is known, and what MakeSchedule says.
base::Result<ScheduleReport> Schedule(const ScheduleRequest& request, const Context& context);

// What --out and --json hold (docs/schedule.md).
base::Json ToJson(const ScheduleReport& report);

}  // namespace reckon::app
