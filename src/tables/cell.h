// What one cell of a table's text is. The common cases are inline, because a table of a million
// rows asks twenty million times. Cells must be padded as digits.h says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/text.h"
#include "core/table.h"
#include "tables/digits.h"

namespace reckon::tables {

enum class CellKind {
  kMissing,
  kNumber,
  kNonFinite,   // "nan", "inf" and the like
  kOutOfRange,  // written like a number that no double holds
  kText,
};

// Without leading and trailing blanks.
inline std::string_view TrimCell(std::string_view cell) {
  const auto solid = [](char c) { return static_cast<unsigned char>(c) > ' '; };
  if (cell.empty() || (solid(cell.front()) && solid(cell.back()))) [[likely]]
    return cell;
  return base::Trim(cell);
}

// "", "NA", "N/A", "null", "NULL" or "None"; `cell` is trimmed.
bool IsMissing(std::string_view cell);

// The value of a cell that is nothing but a whole number of at most eight digits, with or without a
// minus. "-0" is not: it is a number whose sign only a double keeps.
inline std::optional<int32_t> ParseSmallWhole(std::string_view cell) {
  constexpr size_t kMaxDigits = 8;
  if (cell.empty()) return std::nullopt;
  if (cell.size() == 1) {
    const auto digit = static_cast<unsigned char>(cell.front() - '0');
    return digit <= 9 ? std::optional<int32_t>(digit) : std::nullopt;
  }
  const size_t sign = cell.front() == '-' ? 1 : 0;
  const size_t count = cell.size() - sign;
  if (count == 0 || count > kMaxDigits) return std::nullopt;
  const auto digits = UpToEightDigits(cell.data() + sign, count);
  if (!digits || (sign == 1 && *digits == 0)) return std::nullopt;
  const auto value = static_cast<int32_t>(*digits);
  return sign == 1 ? -value : value;
}

// The storage for such a value; the same as core::NumberVector::WidthFor, without leaving integers.
inline core::NumberVector::Width WidthForWhole(int32_t value) {
  constexpr int32_t kMaxInt16 = 32767;
  const bool narrow = value >= -kMaxInt16 && value <= kMaxInt16;
  return narrow ? core::NumberVector::Width::kInt16 : core::NumberVector::Width::kInt32;
}

// `cell` is trimmed. kNumber exactly when base::ParseNumber takes it, but cheaper.
CellKind ClassifyCell(std::string_view cell);

// A cell for a message: without control characters, and shortened when it is long. Needs no
// padding.
std::string ShownCell(std::string_view cell);

}  // namespace reckon::tables
