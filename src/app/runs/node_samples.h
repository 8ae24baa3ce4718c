// What a run has measured host by host: what estimators of a node are fitted to.
#pragma once

#include <vector>

#include "app/runs/run_view.h"
#include "base/json.h"
#include "core/table_builder.h"

namespace reckon::app {

// A row for each host whose use was measured while all workers trained: its state before and
// meanwhile, what its workers took for a step, the state of the servers' hosts, and the latencies
// of apps beside the training. Without the columns that all rows of a run share.
std::vector<core::Row> NodeRows(const base::Json& job, const RunView& view);

}  // namespace reckon::app
