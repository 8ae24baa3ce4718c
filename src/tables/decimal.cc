#include "tables/decimal.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "base/text.h"

namespace reckon::tables {
namespace {

constexpr size_t kMaxDigits = 19;    // what a uint64_t always holds
constexpr size_t kExactPowers = 22;  // 10^22 is the last power of ten that is a double
constexpr size_t kExactDigits = 15;  // 10^15 is the last one below 2^53
constexpr int kMantissaBits = 53;

template <typename T, size_t Count>
constexpr std::array<T, Count> PowersOf(T base) {
  std::array<T, Count> powers{1};
  for (size_t i = 1; i < Count; ++i) powers[i] = powers[i - 1] * base;
  return powers;
}

constexpr auto kTens = PowersOf<double, kExactPowers + 1>(10);
constexpr auto kWholeTens = PowersOf<uint64_t, 9>(10);
constexpr auto kFives = PowersOf<uint64_t, kMaxDigits + 1>(5);

double PowerOfTwo(int exponent) {
  return std::bit_cast<double>(static_cast<uint64_t>(1023 + exponent) << 52);
}

// whole / 10^places, correctly rounded: with w = whole 2^a and d = 5^places 2^b both in
// [2^63, 2^64), the quotient of w 2^63 (when w >= d) or w 2^64 and d has 64 bits, and together with
// the remainder it decides the rounding to 53 bits, half to even. `whole` > 0.
double Divide(uint64_t whole, size_t places) {
  const int up = std::countl_zero(whole);
  const int divisor_up = std::countl_zero(kFives[places]);
  const uint64_t numerator = whole << up;
  const uint64_t divisor = kFives[places] << divisor_up;
  const int less = numerator >= divisor ? 1 : 0;
  const auto lifted = (static_cast<unsigned __int128>(numerator) << 64) >> less;
  const auto quotient = static_cast<uint64_t>(lifted / divisor);
  const bool inexact = static_cast<uint64_t>(lifted) != quotient * divisor;
  const int exponent = divisor_up - up - 64 + less - static_cast<int>(places);

  constexpr int kDropped = 64 - kMantissaBits;
  constexpr uint64_t kHalf = 1ULL << (kDropped - 1);
  const uint64_t mantissa = quotient >> kDropped;
  const uint64_t rest = quotient & (2 * kHalf - 1);
  const bool odd = (mantissa & 1) != 0;
  // Without short circuits: it is as likely as not, and would be guessed wrong half of the time.
  const bool up_one = (rest > kHalf) | ((rest == kHalf) & (inexact | odd));
  return static_cast<double>(mantissa + (up_one ? 1 : 0)) * PowerOfTwo(exponent + kDropped);
}

// Appends the `count` digits at `at` to `whole`.
uint64_t Append(uint64_t whole, const char* at, size_t count) {
  for (; count > 8; count -= 8, at += 8) {
    whole = whole * kWholeTens[8] + UpToEightDigits(at, 8).value_or(0);
  }
  return whole * kWholeTens[count] + UpToEightDigits(at, count).value_or(0);
}

double ParseOther(std::string_view cell) {
  return base::ParseNumber(cell).value_or(std::numeric_limits<double>::quiet_NaN());
}

}  // namespace

double ParseDecimal(std::string_view cell) {
  const auto shape = ShapeOf(cell);
  if (!shape) return ParseOther(cell);
  const size_t digits = shape->whole + shape->places;
  if (digits > kMaxDigits) return ParseOther(cell);
  const char* const at = cell.data() + shape->sign;
  uint64_t whole = Append(0, at, shape->whole);
  if (shape->places > 0) whole = Append(whole, at + shape->whole + 1, shape->places);
  // By the number of digits and not by the value, which is harder to guess ahead.
  const bool exact = digits <= kExactDigits || whole == 0;
  const double value =
      exact ? static_cast<double>(whole) / kTens[shape->places] : Divide(whole, shape->places);
  return std::bit_cast<double>(std::bit_cast<uint64_t>(value) | uint64_t{shape->sign} << 63);
}

}  // namespace reckon::tables
