#include "tables/adapters/extrap_rows.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/check.h"
#include "tables/cell.h"

namespace reckon::tables {
namespace {

constexpr const char* kRegion = "region";
constexpr const char* kMetric = "metric";
constexpr const char* kValue = "value";

}  // namespace

base::Status CheckParameter(const std::vector<std::string>& parameters, std::string_view name) {
  if (base::Trim(name).empty()) return base::BadInput("a parameter has no name");
  if (std::find(parameters.begin(), parameters.end(), name) != parameters.end()) {
    return base::BadInput(fmt::format("two parameters are named '{}'", ShownCell(name)));
  }
  if (name == kRegion || name == kMetric || name == kValue) {
    return base::BadInput(fmt::format("a parameter cannot be named '{}'", name));
  }
  return {};
}

void ExtraPRows::SetParameters(std::vector<std::string> names) {
  RECKON_CHECK(values_.empty());
  parameters_ = std::move(names);
  coordinates_.resize(parameters_.size());
}

void ExtraPRows::Add(std::span<const double> point, std::string_view region,
                     std::string_view metric, std::span<const double> values,
                     std::optional<size_t> line) {
  RECKON_CHECK(point.size() == parameters_.size());
  const double region_code = regions_.CodeOf(region.empty() ? kDefaultRegion : region);
  const double metric_code = metrics_.CodeOf(metric.empty() ? kDefaultMetric : metric);
  for (const double value : values) {
    for (size_t i = 0; i < point.size(); ++i) coordinates_[i].push_back(point[i]);
    region_codes_.push_back(region_code);
    metric_codes_.push_back(metric_code);
    values_.push_back(value);
    if (line) lines_.push_back(static_cast<uint32_t>(*line));
  }
}

base::Result<core::Table> ExtraPRows::Finish(std::string source) && {
  using core::Column;
  using core::NumberVector;
  if (values_.empty()) return base::BadInput(fmt::format("{} has no measurements", source));
  core::Table table;
  table.source = std::move(source);
  table.row_count = values_.size();
  table.lines = std::move(lines_);
  for (size_t i = 0; i < parameters_.size(); ++i) {
    table.columns.push_back(
        Column::Numbers(std::move(parameters_[i]), NumberVector::Of(coordinates_[i])));
  }
  table.columns.push_back(Column::Categories(kRegion, std::move(regions_).TakeLevels(),
                                             NumberVector::Of(region_codes_)));
  table.columns.push_back(Column::Categories(kMetric, std::move(metrics_).TakeLevels(),
                                             NumberVector::Of(metric_codes_)));
  table.columns.push_back(Column::Numbers(kValue, NumberVector::Of(values_)));
  return table;
}

}  // namespace reckon::tables
