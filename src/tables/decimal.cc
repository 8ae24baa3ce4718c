#include "tables/decimal.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/text.h"

namespace reckon::tables {
namespace {

constexpr size_t kMaxDigits = 19;    // what a uint64_t always holds
constexpr size_t kExactPowers = 22;  // 10^22 is the last power of ten that is a double
constexpr uint64_t kExactWhole = 1ULL << 53;
constexpr int kMantissaBits = 53;

template <typename T, size_t kCount>
constexpr std::array<T, kCount> PowersOf(T base) {
  std::array<T, kCount> powers{1};
  for (size_t i = 1; i < kCount; ++i) powers[i] = powers[i - 1] * base;
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

}  // namespace

std::optional<double> ParseDecimal(std::string_view cell) {
  const auto shape = ShapeOf(cell);
  if (!shape || shape->whole + shape->places > kMaxDigits) return base::ParseNumber(cell);
  const char* const at = cell.data() + shape->sign;
  uint64_t whole = Append(0, at, shape->whole);
  if (shape->places > 0) whole = Append(whole, at + shape->whole + 1, shape->places);
  const double value = whole <= kExactWhole ? static_cast<double>(whole) / kTens[shape->places]
                                            : Divide(whole, shape->places);
  return std::bit_cast<double>(std::bit_cast<uint64_t>(value) | uint64_t{shape->sign} << 63);
}

}  // namespace reckon::tables
