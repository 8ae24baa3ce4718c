#include "tables/column_scan.h"

namespace reckon::tables {

using core::NumberVector;

void ColumnScan::AddOther(std::string_view cell, uint64_t line) {
  const CellKind kind = ClassifyCell(cell);
  if (kind == CellKind::kMissing) return;
  if (kind == CellKind::kNumber) {
    if (width_ != NumberVector::Width::kDouble) {
      width_ = std::max(width_, NumberVector::WidthFor(*base::ParseNumber(cell)));
    }
    return;
  }
  if (kind == CellKind::kText && wish_ == Wish::kEither) {
    category_ = true;
    offence_.reset();
  } else if (!offence_) {
    offence_ = Offence{kind, line, std::string(cell)};
  }
}

}  // namespace reckon::tables
