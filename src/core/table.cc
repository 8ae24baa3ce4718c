#include "core/table.h"

#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "base/check.h"
#include "base/text.h"

namespace reckon::core {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <typename T>
constexpr bool kIsInteger = std::is_integral_v<T>;

template <typename T>
bool FitsInteger(double number) {
  return number > std::numeric_limits<T>::min() && number <= std::numeric_limits<T>::max() &&
         number == std::trunc(number) && !(number == 0 && std::signbit(number));
}

}  // namespace

NumberVector::NumberVector(Width width, size_t size) {
  switch (width) {
    case Width::kInt16:
      storage_ = std::vector<int16_t>(size, std::numeric_limits<int16_t>::min());
      break;
    case Width::kInt32:
      storage_ = std::vector<int32_t>(size, std::numeric_limits<int32_t>::min());
      break;
    case Width::kDouble:
      storage_ = std::vector<double>(size, kNan);
      break;
  }
}

NumberVector::Width NumberVector::WidthFor(double number) {
  if (std::isnan(number) || FitsInteger<int16_t>(number)) return Width::kInt16;
  return FitsInteger<int32_t>(number) ? Width::kInt32 : Width::kDouble;
}

NumberVector NumberVector::Of(const std::vector<double>& numbers) {
  Width width = Width::kInt16;
  for (const double number : numbers) width = std::max(width, WidthFor(number));
  NumberVector vector(width, numbers.size());
  for (size_t i = 0; i < numbers.size(); ++i) vector.Set(i, numbers[i]);
  return vector;
}

size_t NumberVector::size() const {
  return std::visit([](const auto& cells) { return cells.size(); }, storage_);
}

double NumberVector::operator[](size_t row) const {
  return std::visit(
      [row](const auto& cells) -> double {
        using T = typename std::decay_t<decltype(cells)>::value_type;
        const T cell = cells[row];
        if constexpr (kIsInteger<T>) {
          return cell == std::numeric_limits<T>::min() ? kNan : static_cast<double>(cell);
        } else {
          return cell;
        }
      },
      storage_);
}

void NumberVector::Set(size_t row, double number) {
  std::visit(
      [row, number](auto& cells) {
        using T = typename std::decay_t<decltype(cells)>::value_type;
        if constexpr (kIsInteger<T>) {
          if (std::isnan(number)) {
            cells[row] = std::numeric_limits<T>::min();
            return;
          }
          RECKON_CHECK(FitsInteger<T>(number));
        }
        cells[row] = static_cast<T>(number);
      },
      storage_);
}

const char* ColumnKindName(ColumnKind kind) {
  return kind == ColumnKind::kNumber ? "number" : "category";
}

Column::Column(std::string name, ColumnKind kind, std::vector<std::string> levels,
               NumberVector cells)
    : name_(std::move(name)), kind_(kind), levels_(std::move(levels)), cells_(std::move(cells)) {}

Column Column::Numbers(std::string name, NumberVector numbers) {
  return {std::move(name), ColumnKind::kNumber, {}, std::move(numbers)};
}

Column Column::Categories(std::string name, std::vector<std::string> levels, NumberVector codes) {
  return {std::move(name), ColumnKind::kCategory, std::move(levels), std::move(codes)};
}

std::string Column::Text(size_t row) const {
  const double cell = cells_[row];
  if (std::isnan(cell)) return "";
  if (kind_ == ColumnKind::kNumber) return base::RoundTrip(cell);
  return levels_[static_cast<size_t>(cell)];
}

Column Column::Select(std::span<const size_t> rows) const {
  NumberVector cells(cells_.width(), rows.size());
  for (size_t i = 0; i < rows.size(); ++i) cells.Set(i, cells_[rows[i]]);
  return {name_, kind_, levels_, std::move(cells)};
}

std::optional<size_t> Table::Find(std::string_view name) const {
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns[i].name() == name) return i;
  }
  return std::nullopt;
}

std::vector<std::string> Table::Names() const {
  std::vector<std::string> names;
  names.reserve(columns.size());
  for (const Column& column : columns) names.push_back(column.name());
  return names;
}

Table Table::Select(std::span<const size_t> rows) const {
  Table part;
  part.source = source;
  part.row_count = rows.size();
  for (const Column& column : columns) part.columns.push_back(column.Select(rows));
  if (!lines.empty()) {
    for (const size_t row : rows) part.lines.push_back(lines[row]);
  }
  return part;
}

std::string Table::Place(size_t row) const {
  if (row < lines.size()) return fmt::format("{}, line {}", source, lines[row]);
  return fmt::format("{}, row {}", source, row + 1);
}

}  // namespace reckon::core
