// The first pass over a column: what it is and how narrow its storage can be.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/table.h"
#include "tables/cell.h"

namespace reckon::tables {

// Is told every cell of a column. A column is a category as soon as one cell is text; else it is of
// numbers, also when every cell is missing. Cells must be padded as
// digits.h says. Not thread-safe.
class ColumnScan {
 public:
  enum class Wish { kEither, kNumber, kCategory };

  // A cell that cannot be in a column of numbers: the first one of the column.
  struct Offence {
    CellKind kind;
    uint64_t line;
    std::string cell;
  };

  explicit ColumnScan(Wish wish) : wish_(wish), category_(wish == Wish::kCategory) {}

  // `line` is where the cell's record starts.
  void Add(std::string_view cell, uint64_t line) {
    if (category_) return;
    // A column that holds doubles already learns nothing from whole numbers.
    if (width_ != core::NumberVector::Width::kDouble) {
      if (const auto whole = ParseSmallWhole(cell)) {
        width_ = std::max(width_, WidthForWhole(*whole));
        return;
      }
    }
    AddOther(TrimCell(cell), line);
  }

  core::ColumnKind kind() const {
    return category_ ? core::ColumnKind::kCategory : core::ColumnKind::kNumber;
  }
  // Of the numbers, when it is of numbers.
  core::NumberVector::Width width() const { return width_; }
  // Set only for a column of numbers, which it then cannot be.
  const std::optional<Offence>& offence() const { return offence_; }

 private:
  void AddOther(std::string_view cell, uint64_t line);

  Wish wish_;
  bool category_;
  core::NumberVector::Width width_ = core::NumberVector::Width::kInt16;
  std::optional<Offence> offence_;
};

}  // namespace reckon::tables
