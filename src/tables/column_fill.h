// The second pass over a column: its cells into storage of exactly the right size.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/table.h"
#include "tables/cell.h"
#include "tables/level_index.h"

namespace reckon::tables {

// Takes the cells of one column row by row, as ColumnScan has seen them. Cells must be padded as
// digits.h says. Not thread-safe.
class ColumnFill {
 public:
  // `width` is that of the numbers; codes of categories start narrow and grow with the levels.
  ColumnFill(core::ColumnKind kind, core::NumberVector::Width width, size_t row_count);

  // False when the cell is not one that the first pass can have seen. `row` < row_count.
  bool Set(size_t row, std::string_view cell) {
    if (kind_ == core::ColumnKind::kCategory) return SetCategory(row, cell);
    if (width_ == core::NumberVector::Width::kDouble) return SetNumber(row, cell);
    const auto whole = ParseSmallWhole(cell);
    if (!whole || WidthForWhole(*whole) > width_) return SetNumber(row, cell);
    cells_.Set(row, *whole);
    return true;
  }
  core::Column Finish(std::string name) &&;

 private:
  bool SetNumber(size_t row, std::string_view cell);
  bool SetCategory(size_t row, std::string_view cell);
  void WidenCodes(core::NumberVector::Width width);

  core::ColumnKind kind_;
  core::NumberVector::Width width_;
  core::NumberVector cells_;
  LevelIndex levels_;
};

}  // namespace reckon::tables
