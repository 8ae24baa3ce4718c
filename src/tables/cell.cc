#include "tables/cell.h"

#include "tables/decimal.h"

namespace reckon::tables {
namespace {

enum class Syntax { kNone, kPlain, kExponent };

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

const char* SkipDigits(const char* at, const char* end) {
  while (at < end && IsDigit(*at)) ++at;
  return at;
}

Syntax SyntaxOf(std::string_view cell) {
  const char* at = cell.data();
  const char* const end = at + cell.size();
  if (at < end && (*at == '-' || *at == '+')) ++at;
  const char* const whole = at;
  at = SkipDigits(at, end);
  auto digits = at - whole;
  if (at < end && *at == '.') {
    const char* const fraction = ++at;
    at = SkipDigits(at, end);
    digits += at - fraction;
  }
  if (digits == 0) return Syntax::kNone;
  if (at == end) return Syntax::kPlain;
  if (*at != 'e' && *at != 'E') return Syntax::kNone;
  ++at;
  if (at < end && (*at == '-' || *at == '+')) ++at;
  if (at == end || SkipDigits(at, end) != end) return Syntax::kNone;
  return Syntax::kExponent;
}

}  // namespace

bool IsMissing(std::string_view cell) {
  switch (cell.size()) {
    case 0:
      return true;
    case 2:
      return cell == "NA";
    case 3:
      return cell == "N/A";
    case 4:
      return cell == "null" || cell == "NULL" || cell == "None";
    default:
      return false;
  }
}

CellKind ClassifyCell(std::string_view cell) {
  // Without an exponent it takes more digits than this to leave the range of double.
  constexpr size_t kSafeLength = 300;
  if (ShapeOf(cell)) return CellKind::kNumber;
  const Syntax syntax = SyntaxOf(cell);
  if (syntax == Syntax::kPlain && cell.size() < kSafeLength) return CellKind::kNumber;
  if (syntax != Syntax::kNone) {
    return base::ParseNumber(cell) ? CellKind::kNumber : CellKind::kOutOfRange;
  }
  if (IsMissing(cell)) return CellKind::kMissing;
  return base::IsNonFiniteWord(cell) ? CellKind::kNonFinite : CellKind::kText;
}

std::string ShownCell(std::string_view cell) {
  constexpr size_t kShown = 40;
  const bool cut = cell.size() > kShown;
  if (cut) {
    cell = cell.substr(0, kShown);
    // Not through the middle of a UTF-8 character.
    while (!cell.empty() && (static_cast<unsigned char>(cell.back()) & 0xC0) == 0x80) {
      cell.remove_suffix(1);
    }
    if (!cell.empty() && static_cast<unsigned char>(cell.back()) >= 0xC0) cell.remove_suffix(1);
  }
  std::string shown(cell);
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7F) c = ' ';
  }
  return cut ? shown + "..." : shown;
}

}  // namespace reckon::tables
