// The policies behind MakeSchedule. Problems are checked already.
#pragma once

#include "decide/schedule/schedule.h"

namespace reckon::decide {

// Equal shards for all, blind to deadlines.
base::Result<SchedulePlan> FairSchedule(const ScheduleProblem& problem);
// Algorithm 1 of the paper.
base::Result<SchedulePlan> DeepEdgeSchedule(const ScheduleProblem& problem);
// The best of all subsets and batches of the grid.
base::Result<SchedulePlan> ExactSchedule(const ScheduleProblem& problem);
// The best crew of every size, batches as small as deadlines need; never worse than Algorithm 1.
base::Result<SchedulePlan> ReckonSchedule(const ScheduleProblem& problem);

}  // namespace reckon::decide
