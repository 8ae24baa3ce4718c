// reckon schedule: shards and batches of a model update on nodes that others use too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/context.h"
#include "base/json.h"
#include "base/result.h"
#include "core/cluster.h"
#include "decide/schedule/schedule.h"

namespace reckon::app {

struct ScheduleRequest {
  std::string cluster_file;
  std::string job_file;
  std::string policy = "reckon";
  std::optional<int64_t> least_batch;
  std::optional<int64_t> most_batch;
  double memory_limit = 0.9;  // share of a node's memory that may be used
  std::string out;            // the plan as JSON; empty: none
};

struct ScheduleReport {
  core::Cluster cluster;
  std::string job;
  int64_t samples = 0;
  int64_t epochs = 0;
  decide::SchedulePlan plan;
  std::string out;
};

// kBadInput: files that are wrong, types of which nothing is known, and what MakeSchedule says.
base::Result<ScheduleReport> Schedule(const ScheduleRequest& request, const Context& context);

// What --out and --json hold (docs/schedule.md).
base::Json ToJson(const ScheduleReport& report);

}  // namespace reckon::app
