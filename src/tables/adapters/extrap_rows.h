// Rows of an Extra-P file on their way into a table.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/table.h"
#include "tables/level_index.h"

namespace reckon::tables {

inline constexpr std::string_view kDefaultRegion = "main";
inline constexpr std::string_view kDefaultMetric = "time";

// Bad input when `name` cannot join the columns: empty, one of `parameters`, or one of the columns
// that every such table has.
base::Status CheckParameter(const std::vector<std::string>& parameters, std::string_view name);

// Not thread-safe.
class ExtraPRows {
 public:
  void SetParameters(std::vector<std::string> names);
  const std::vector<std::string>& parameters() const { return parameters_; }

  // One row for each of `values`; `point` has a coordinate for every parameter. An empty region or
  // metric is the default one. `line`: of the measurement, for all rows or for none.
  void Add(std::span<const double> point, std::string_view region, std::string_view metric,
           std::span<const double> values, std::optional<size_t> line);

  // Bad input when there are no rows.
  base::Result<core::Table> Finish(std::string source) &&;

 private:
  std::vector<std::string> parameters_;
  std::vector<std::vector<double>> coordinates_;  // by parameter, then row
  LevelIndex regions_;
  LevelIndex metrics_;
  std::vector<double> region_codes_;
  std::vector<double> metric_codes_;
  std::vector<double> values_;
  std::vector<uint32_t> lines_;
};

}  // namespace reckon::tables
