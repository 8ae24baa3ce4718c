// How a table becomes text cells of a database, exactly: the columns as one JSON array of objects,
// every row as one JSON array. docs/store.md describes both.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/table.h"

namespace reckon::store {

// [{"name", "kind", "width", "levels"}, ...]. kBadInput: a number is infinite.
base::Result<std::string> EncodeColumns(const core::Table& table);

// Replaces `text` by row `row` of a table that EncodeColumns accepted.
void EncodeCells(const core::Table& table, size_t row, std::string& text);

// Builds a table back: the columns first, then each row once in any order, then Finish. Not
// thread-safe. Text that Encode* cannot have written is kCorrupt.
class TableDecoder {
 public:
  static base::Result<TableDecoder> Create(std::string_view columns, size_t row_count);

  base::Status SetRow(size_t row, std::string_view cells);
  // kCorrupt when fewer than `row_count` rows were set.
  base::Result<core::Table> Finish() &&;

 private:
  struct Draft {
    std::string name;
    core::ColumnKind kind;
    std::vector<std::string> levels;
    core::NumberVector cells;
  };

  explicit TableDecoder(size_t row_count) : row_count_(row_count) {}
  static base::Status SetCell(Draft& draft, size_t row, double number);

  size_t row_count_;
  size_t rows_set_ = 0;
  std::vector<Draft> drafts_;
};

}  // namespace reckon::store
