// Which nodes take part in a model update, with how many images and which batches: Deep-Edge's
// Solver, asked with the nodes as they are at this moment.
#pragma once

#include <vector>

#include "app/manage/data_update.h"
#include "app/manage/node_book.h"
#include "base/result.h"
#include "core/job.h"
#include "store/store.h"

namespace reckon::app {

struct SolverRequest {
  const UpdateAsk& ask;
  const core::Job& job;          // of a trainer
  std::vector<KnownNode> nodes;  // that are free
};

// With estimators by their policy; without, shares go by processors, all nodes take part, and the
// job's batch is everybody's. kUnavailable: nodes of servers are not free, or nobody is left to
// work. kBadInput, kNotFound: what the policy or the estimators say.
base::Result<UpdatePlan> ChooseShares(const SolverRequest& request, store::Store& store);

}  // namespace reckon::app
