// A plan of `reckon schedule --out` as changes of the job that carries it out.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "spec/job_file.h"

namespace reckon::app {

struct PlannedJob {
  std::vector<spec::Override> overrides;  // workers, servers, batches and shards
  std::string engine;                     // the plan's nodes, where the engine has nodes by name
};

// `engine`: "local", where all workers are on this machine, or "lab:NAME", whose hosts are the
// plan's nodes. kBadInput: no plan, or one that leaves nobody to train.
base::Result<PlannedJob> ReadPlanFile(const std::string& path, const std::string& engine);

}  // namespace reckon::app
