// How far repeats of the same thing differ: no model of the inputs can be much better.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/campaigns/history.h"
#include "base/json.h"
#include "core/table.h"

namespace reckon::app {

struct RepeatNoise {
  std::optional<double> percent;  // mean over groups of their relative standard deviation
  size_t groups = 0;              // that have at least two values
  size_t values = 0;              // in these groups
};

RepeatNoise NoiseOf(const std::map<std::string, std::vector<double>>& groups);
// Of a column of samples: rows are repeats when they are of the same point and, where the table
// tells them, of the same worker, epoch and host. Rows of runs that say nothing do not count.
RepeatNoise NoiseOf(const History& history, const core::Table& table, const std::string& column);
base::Json ToJson(const RepeatNoise& noise);

// Rows of `table` that measured the same, by what they are repeats of (see above).
std::map<std::string, std::vector<size_t>> RepeatsIn(const History& history,
                                                     const core::Table& table);

// Which point each run measured.
std::map<int64_t, std::string> PointsByRun(const History& history);

}  // namespace reckon::app
