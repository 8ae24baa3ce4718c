#include "tables/column_fill.h"

#include <cmath>
#include <utility>

#include "tables/decimal.h"

namespace reckon::tables {

using core::ColumnKind;
using core::NumberVector;

ColumnFill::ColumnFill(ColumnKind kind, NumberVector::Width width, size_t row_count)
    : kind_(kind),
      width_(kind == ColumnKind::kNumber ? width : NumberVector::Width::kInt16),
      cells_(width_, row_count) {}

bool ColumnFill::SetNumber(size_t row, std::string_view cell) {
  cell = TrimCell(cell);
  const double number = ParseDecimal(cell);
  // Cells are missing until they are set.
  if (std::isnan(number)) return IsMissing(cell);
  if (width_ != NumberVector::Width::kDouble && NumberVector::WidthFor(number) > width_) {
    return false;
  }
  cells_.Set(row, number);
  return true;
}

bool ColumnFill::SetCategory(size_t row, std::string_view cell) {
  if (IsMissing(TrimCell(cell))) return true;
  const size_t known = levels_.size();
  const double code = levels_.CodeOf(cell);
  if (levels_.size() > known && NumberVector::WidthFor(code) > width_) {
    WidenCodes(NumberVector::WidthFor(code));
  }
  cells_.Set(row, code);
  return true;
}

void ColumnFill::WidenCodes(NumberVector::Width width) {
  NumberVector wider(width, cells_.size());
  for (size_t row = 0; row < cells_.size(); ++row) wider.Set(row, cells_[row]);
  cells_ = std::move(wider);
  width_ = width;
}

core::Column ColumnFill::Finish(std::string name) && {
  if (kind_ == ColumnKind::kNumber)
    return core::Column::Numbers(std::move(name), std::move(cells_));
  return core::Column::Categories(std::move(name), std::move(levels_).TakeLevels(),
                                  std::move(cells_));
}

}  // namespace reckon::tables
