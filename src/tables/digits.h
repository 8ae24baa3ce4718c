// Decimal digits, eight and more at a time and without branches: the lengths of measured numbers
// vary at random, and a loop over them is mispredicted at its end in nearly every cell.
//
// Texts here must be followed by kCellPadding readable bytes, whatever they are. The cells of a
// CsvScanner are.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace reckon::tables {

static_assert(std::endian::native == std::endian::little);

inline constexpr size_t kCellPadding = 64;

// The number that `count` (0 to 8) ASCII characters at `at` spell, if they are digits.
inline std::optional<uint32_t> UpToEightDigits(const char* at, size_t count) {
  uint64_t bytes = 0;
  std::memcpy(&bytes, at, sizeof bytes);
  // The first digit is the lowest byte. Moving what is there to the top drops the bytes behind it
  // and puts zeros before it. In two steps, since a shift by 64 means nothing.
  const auto half = static_cast<unsigned>(4 * (8 - count));
  const uint64_t digits = ((bytes ^ 0x3030303030303030) << half) << half;
  if ((digits | (digits + 0x7676767676767676)) & 0x8080808080808080) return std::nullopt;
  // Pairs, then fours, then all of them.
  const uint64_t pairs = digits * 10 + (digits >> 8);
  constexpr uint64_t kMask = 0x000000FF000000FF;
  constexpr uint64_t kHighFour = 0x000F424000000064;  // 10^6 2^32 + 10^2
  constexpr uint64_t kLowFour = 0x0000271000000001;   // 10^4 2^32 + 1
  return static_cast<uint32_t>(((pairs & kMask) * kHighFour + ((pairs >> 16) & kMask) * kLowFour) >>
                               32);
}

// Bit i tells whether at[i] is a digit, for the first 32 bytes.
inline uint32_t DigitMask(const char* at) {
#ifdef __SSE2__
  const __m128i zero = _mm_set1_epi8('0');
  const __m128i nine = _mm_set1_epi8(9);
  const auto half = [&](const char* from) {
    const __m128i value =
        _mm_sub_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from)), zero);
    return static_cast<uint32_t>(
        _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(value, nine), value)));
  };
  return half(at) | half(at + 16) << 16;
#else
  uint32_t mask = 0;
  for (unsigned i = 0; i < 32; ++i) {
    mask |= static_cast<uint32_t>(at[i] >= '0' && at[i] <= '9') << i;
  }
  return mask;
#endif
}

}  // namespace reckon::tables
