// Tables and data sets for tests of the learning layers.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/table.h"
#include "learn/dataset.h"

namespace reckon::support {

using NamedColumn = std::pair<std::string, std::vector<double>>;

inline core::Table NumberTable(const std::vector<NamedColumn>& columns) {
  core::Table table;
  table.source = "test";
  for (const auto& [name, cells] : columns) {
    table.columns.push_back(core::Column::Numbers(name, core::NumberVector::Of(cells)));
    table.row_count = cells.size();
  }
  return table;
}

inline void AddCategories(core::Table& table, const std::string& name,
                          const std::vector<std::string>& levels,
                          const std::vector<double>& codes) {
  table.columns.push_back(core::Column::Categories(name, levels, core::NumberVector::Of(codes)));
  table.row_count = codes.size();
}

inline learn::Dataset MakeDataset(const core::Table& table, const std::string& target) {
  return learn::BuildDataset(table, {.target = target, .ignore = {}}).value();
}

// y = f(workers, size) on a full grid, `repeats` times.
template <typename F>
core::Table GridTable(const std::vector<double>& workers, const std::vector<double>& sizes,
                      int repeats, F f) {
  std::vector<double> w;
  std::vector<double> s;
  std::vector<double> y;
  for (const double size : sizes) {
    for (const double count : workers) {
      for (int i = 0; i < repeats; ++i) {
        w.push_back(count);
        s.push_back(size);
        y.push_back(f(count, size));
      }
    }
  }
  return NumberTable({{"workers", w}, {"size", s}, {"y", y}});
}

}  // namespace reckon::support
