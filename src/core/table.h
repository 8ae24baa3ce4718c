// A table of measurements: named columns of numbers or categories. The common currency between
// files, the store and the learners.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace reckon::core {

// Numbers in the narrowest storage that holds them all, because tables of measurements are mostly
// small whole numbers: a million rows of them fit in a fraction of their text. A missing number
// reads as NaN.
class NumberVector {
 public:
  enum class Width { kInt16, kInt32, kDouble };

  NumberVector() = default;
  // `size` missing numbers. The integer widths hold whole numbers from min + 1 to max of their
  // type (min marks a missing one).
  NumberVector(Width width, size_t size);
  // Takes the narrowest width that holds `numbers`.
  static NumberVector Of(const std::vector<double>& numbers);
  // The narrowest width that holds `number`; NaN fits everywhere.
  static Width WidthFor(double number);

  size_t size() const;
  Width width() const { return static_cast<Width>(storage_.index()); }
  double operator[](size_t row) const;
  // `number` must fit the width.
  void Set(size_t row, double number);

 private:
  std::variant<std::vector<int16_t>, std::vector<int32_t>, std::vector<double>> storage_;
};

enum class ColumnKind { kNumber, kCategory };

const char* ColumnKindName(ColumnKind kind);

class Column {
 public:
  static Column Numbers(std::string name, NumberVector numbers);
  // `codes` are indices into `levels`; NaN is a missing cell.
  static Column Categories(std::string name, std::vector<std::string> levels, NumberVector codes);

  const std::string& name() const { return name_; }
  ColumnKind kind() const { return kind_; }
  size_t size() const { return cells_.size(); }

  // The number in `row`, or the category's index into levels(); NaN when the cell is missing.
  double operator[](size_t row) const { return cells_[row]; }
  // Distinct categories in the order of their first appearance; empty for numbers.
  const std::vector<std::string>& levels() const { return levels_; }
  // The cell as text: shortest round-trip number, the category, or "" when missing.
  std::string Text(size_t row) const;
  Column Select(std::span<const size_t> rows) const;

 private:
  Column(std::string name, ColumnKind kind, std::vector<std::string> levels, NumberVector cells);

  std::string name_;
  ColumnKind kind_;
  std::vector<std::string> levels_;
  NumberVector cells_;
};

struct Table {
  std::string source;  // for messages: a file's name, or "samples 'x' of reckon.db"
  std::vector<Column> columns;
  size_t row_count = 0;
  std::vector<uint32_t> lines;  // line of each row in `source`; empty when it has no lines

  // Index of the column of that name.
  std::optional<size_t> Find(std::string_view name) const;
  std::vector<std::string> Names() const;
  // The given rows in the given order; levels stay those of the whole.
  Table Select(std::span<const size_t> rows) const;
  // "runs.csv, line 12", or "runs.csv, row 11" when lines are unknown.
  std::string Place(size_t row) const;
};

}  // namespace reckon::core
