// From a job and nodes to the parts that agents carry out.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "act/agents/beat.h"
#include "act/launch.h"
#include "app/manage/managed_json.h"
#include "base/json.h"
#include "base/result.h"
#include "core/job.h"

namespace reckon::app {

// The job that somebody has asked for. kBadInput with file, line and key.
base::Result<spec::JobFile> ReadJobText(const JobText& job);

// The job as an update carries it out: on the images that the data store gives out, by the shares
// of the plan, where there are any yet.
core::Job JobOfUpdate(core::Job job, const UpdateAsk& ask, const UpdatePlan& plan);

// The job that an update is asked for with, before there is a plan. kBadInput: it trains no network
// that we know.
base::Result<spec::JobFile> ReadUpdateJob(const JobText& job, const UpdateAsk& ask);

// How many nodes it wants: one for each worker and server.
size_t NodesWanted(const core::Job& job);

struct AttemptPlan {
  base::Json plan;  // of the run, for its samples
  std::vector<act::LaunchSpec> parts;
  std::map<std::string, std::string> contents;  // files beside the spec of each part
};

struct AttemptRequest {
  const spec::JobFile& file;
  int64_t run_id = 0;
  int64_t attempt = 1;
  std::string store;                   // tells ports of several stores apart
  std::vector<act::NodeInfo> nodes;    // not empty; servers get the first ones
  const DataUpdate* update = nullptr;  // one, whose plan has these nodes
};

// With fewer nodes than it wants, workers share them in the first attempt; later ones, which go on
// without nodes that were lost, have as many workers as there are nodes. kBadInput: the job cannot
// be carried out there.
base::Result<AttemptPlan> PlanAttempt(const AttemptRequest& request);

// A planned attempt as a file: written before anybody hears of it.
base::Json ToJson(const AttemptPlan& plan);
base::Result<AttemptPlan> AttemptPlanFromJson(const base::Json& json);

}  // namespace reckon::app
