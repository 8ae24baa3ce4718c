#include "tables/adapters/adaptdl.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tables/cell.h"

namespace reckon::tables {
namespace {

constexpr const char* kPlacement = "placement";
constexpr const char* kNodes = "num_nodes";
constexpr const char* kReplicas = "num_replicas";

bool Has(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

base::Result<ReadOptions> OptionsFor(const Source& source, const ReadOptions& options) {
  RECKON_ASSIGN(const std::vector<std::string> names, ReadHeader(source, options));
  for (const char* needed : {kPlacement, "step_time"}) {
    if (!Has(names, needed)) {
      return base::BadInput(
          fmt::format("{} has no column '{}', which AdaptDL traces have", source.name(), needed));
    }
  }
  for (const char* added : {kNodes, kReplicas}) {
    if (Has(names, added)) {
      return base::BadInput(fmt::format(
          "{} already has a column '{}', which is added to AdaptDL traces", source.name(), added));
    }
  }
  ReadOptions complete = options;
  complete.category.emplace_back(kPlacement);
  for (const char* number : {"step_time", "sync_time", "local_bsz"}) {
    if (Has(names, number) && !Has(options.category, number)) complete.numeric.emplace_back(number);
  }
  return complete;
}

bool IsPlacement(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= '1' && c <= '9'; });
}

}  // namespace

base::Result<core::Table> ReadAdaptDl(const Source& source, const ReadOptions& options,
                                      const std::stop_token& stop, base::Progress& progress) {
  RECKON_ASSIGN(const ReadOptions complete, OptionsFor(source, options));
  RECKON_ASSIGN(core::Table table, ReadTable(source, complete, stop, progress));
  const size_t at = *table.Find(kPlacement);
  const core::Column& placements = table.columns[at];
  std::vector<double> nodes(table.row_count);
  std::vector<double> replicas(table.row_count);
  for (size_t row = 0; row < table.row_count; ++row) {
    const double code = placements[row];
    if (std::isnan(code)) {
      return base::BadInput(fmt::format("{}: the placement is missing", table.Place(row)));
    }
    const std::string& placement = placements.levels()[static_cast<size_t>(code)];
    if (!IsPlacement(placement)) {
      return base::BadInput(
          fmt::format("{}: placement '{}' must be digits from 1 to 9, one for each node",
                      table.Place(row), ShownCell(placement)));
    }
    nodes[row] = static_cast<double>(placement.size());
    for (const char digit : placement) replicas[row] += digit - '0';
  }
  std::vector<core::Column> added;
  added.push_back(core::Column::Numbers(kNodes, core::NumberVector::Of(nodes)));
  added.push_back(core::Column::Numbers(kReplicas, core::NumberVector::Of(replicas)));
  table.columns.insert(table.columns.begin() + static_cast<std::ptrdiff_t>(at) + 1,
                       std::make_move_iterator(added.begin()),
                       std::make_move_iterator(added.end()));
  return table;
}

}  // namespace reckon::tables
