// Tables made row by row, and tables put under each other.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/table.h"

namespace reckon::core {

using Cell = std::variant<double, std::string>;
using Row = std::vector<std::pair<std::string, Cell>>;  // column and its cell

// Columns come in the order of their first appearance; rows that do not name one have a missing
// cell there. A column with numbers in some rows and texts in others is one of categories.
class TableBuilder {
 public:
  void AddRow(const Row& row);
  void AddTable(const Table& table);
  Table Finish(std::string source) &&;

 private:
  struct Draft {
    std::string name;
    std::vector<std::optional<Cell>> cells;  // may be shorter than the table: the rest is missing
  };
  Draft& Find(const std::string& name);

  std::vector<Draft> drafts_;
  size_t rows_ = 0;
};

}  // namespace reckon::core
