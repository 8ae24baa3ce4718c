// The points of a campaign as a table of what can be asked about them.
#pragma once

#include <vector>

#include "app/campaigns/profile.h"
#include "base/json.h"
#include "core/table.h"

namespace reckon::app {

// A row a point, with inputs as its samples will have them; without columns that are the same
// everywhere. `plans`: of the points, null where one is impossible.
core::Table CandidatesOf(const std::vector<PointReport>& points,
                         const std::vector<base::Json>& plans);

}  // namespace reckon::app
