// Numbers from cells, faster than the standard library for how measurements are written. Cells must
// be padded as digits.h says.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tables/digits.h"

namespace reckon::tables {

// How the digits lie in a plain decimal: "-12.5" has two before the point and one behind it.
struct DecimalShape {
  size_t sign = 0;  // 1 with a minus
  size_t whole = 0;
  size_t places = 0;
};

// The shape of a number of at most 24 characters that has digits, perhaps a minus before and a
// point among them and nothing else; nullopt for everything else.
inline std::optional<DecimalShape> ShapeOf(std::string_view cell) {
  constexpr size_t kMaxLength = 24;
  if (cell.empty() || cell.size() > kMaxLength) return std::nullopt;
  DecimalShape shape;
  shape.sign = cell.front() == '-' ? 1 : 0;
  const char* const at = cell.data() + shape.sign;
  const size_t size = cell.size() - shape.sign;
  uint64_t others = ~uint64_t{DigitMask(at)} | (~uint64_t{0} << size);
  shape.whole = static_cast<size_t>(std::countr_zero(others));
  size_t end = shape.whole;
  if (end < size && at[end] == '.') {
    others &= others - 1;
    end = static_cast<size_t>(std::countr_zero(others));
    shape.places = end - shape.whole - 1;
  }
  if (end != size || shape.whole + shape.places == 0) return std::nullopt;
  return shape;
}

// Exactly base::ParseNumber, to the last bit, but several times as fast for numbers that have a
// shape, and NaN for what is no number: a double comes back in a register, an optional one does
// not.
double ParseDecimal(std::string_view cell);

}  // namespace reckon::tables
