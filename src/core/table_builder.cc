#include "core/table_builder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "base/text.h"

namespace reckon::core {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

using Cells = std::vector<std::optional<Cell>>;

Column AsNumbers(std::string name, const Cells& cells) {
  std::vector<double> numbers;
  for (const auto& cell : cells) numbers.push_back(cell ? std::get<double>(*cell) : kMissing);
  return Column::Numbers(std::move(name), NumberVector::Of(numbers));
}

std::string TextOf(const Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return text != nullptr ? *text : base::RoundTrip(std::get<double>(cell));
}

Column AsCategories(std::string name, const Cells& cells) {
  std::vector<std::string> levels;
  std::map<std::string, double> codes;
  std::vector<double> coded;
  for (const auto& cell : cells) {
    if (!cell) {
      coded.push_back(kMissing);
      continue;
    }
    const std::string text = TextOf(*cell);
    const auto [known, is_new] = codes.emplace(text, static_cast<double>(levels.size()));
    if (is_new) levels.push_back(text);
    coded.push_back(known->second);
  }
  return Column::Categories(std::move(name), std::move(levels), NumberVector::Of(coded));
}

}  // namespace

TableBuilder::Draft& TableBuilder::Find(const std::string& name) {
  for (Draft& draft : drafts_) {
    if (draft.name == name) return draft;
  }
  return drafts_.emplace_back(Draft{name, {}});
}

void TableBuilder::AddRow(const Row& row) {
  for (const auto& [name, cell] : row) {
    const auto* number = std::get_if<double>(&cell);
    if (number != nullptr && !std::isfinite(*number)) continue;  // missing
    Draft& draft = Find(name);
    draft.cells.resize(rows_ + 1);
    draft.cells[rows_] = cell;
  }
  ++rows_;
}

void TableBuilder::AddTable(const Table& table) {
  for (size_t row = 0; row < table.row_count; ++row) {
    Row cells;
    for (const Column& column : table.columns) {
      if (std::isnan(column[row])) {
        Find(column.name());  // keeps its place also without a cell
      } else if (column.kind() == ColumnKind::kNumber) {
        cells.emplace_back(column.name(), column[row]);
      } else {
        cells.emplace_back(column.name(), column.Text(row));
      }
    }
    AddRow(cells);
  }
}

Table TableBuilder::Finish(std::string source) && {
  Table table;
  table.source = std::move(source);
  table.row_count = rows_;
  for (Draft& draft : drafts_) {
    draft.cells.resize(rows_);
    const bool texts = std::any_of(draft.cells.begin(), draft.cells.end(), [](const auto& cell) {
      return cell && std::holds_alternative<std::string>(*cell);
    });
    table.columns.push_back(texts ? AsCategories(std::move(draft.name), draft.cells)
                                  : AsNumbers(std::move(draft.name), draft.cells));
  }
  return table;
}

}  // namespace reckon::core
