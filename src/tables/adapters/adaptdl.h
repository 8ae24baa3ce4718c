// Traces of training steps by placement, as the simulators of AdaptDL and Pollux keep them.
#pragma once

#include <stop_token>

#include "base/progress.h"
#include "base/result.h"
#include "core/table.h"
#include "tables/reader.h"
#include "tables/source.h"

namespace reckon::tables {

// Delimited text with at least the columns `placement` and `step_time`; usually also `local_bsz`
// and `sync_time`. Each digit of a placement is the number of GPUs on one node: "1112" is four
// nodes with five GPUs. `placement` stays as a category, and behind it come num_nodes and
// num_replicas. Errors are those of ReadTable, and bad input for a column or placement that is
// missing or wrong.
base::Result<core::Table> ReadAdaptDl(const Source& source, const ReadOptions& options,
                                      const std::stop_token& stop, base::Progress& progress);

}  // namespace reckon::tables
