// The bytes that mean something in delimited text, found 64 at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace reckon::tables {

// Walks over delimiters, quotes, line ends and NULs in order and steps over everything else. The
// text must end with a NUL and 64 readable bytes behind its last byte; stop at that NUL.
class Marks {
 public:
  // Bytes that must be readable from the text's end on.
  static constexpr size_t kPadding = 64;

  Marks(const char* text, char delimiter)
      : block_(text), delimiter_(delimiter), mask_(MaskOf(text, delimiter)) {}

  // The next byte that means something, and past it.
  const char* Next() {
    while (mask_ == 0) {
      block_ += kBlock;
      mask_ = MaskOf(block_, delimiter_);
    }
    const char* mark = block_ + std::countr_zero(mask_);
    mask_ &= mask_ - 1;
    return mark;
  }

 private:
  static constexpr size_t kBlock = 64;

#ifdef __SSE2__
  // Every x86-64 machine has SSE2, so this asks nothing of the build.
  static uint64_t MaskOf(const char* block, char delimiter) {
    const __m128i delimiters = _mm_set1_epi8(delimiter);
    const __m128i quotes = _mm_set1_epi8('"');
    const __m128i feeds = _mm_set1_epi8('\n');
    const __m128i returns = _mm_set1_epi8('\r');
    const __m128i zero = _mm_setzero_si128();
    uint64_t mask = 0;
    for (size_t i = 0; i < kBlock; i += 16) {
      const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + i));
      const __m128i ends =
          _mm_or_si128(_mm_cmpeq_epi8(bytes, feeds), _mm_cmpeq_epi8(bytes, returns));
      const __m128i others =
          _mm_or_si128(_mm_cmpeq_epi8(bytes, quotes), _mm_cmpeq_epi8(bytes, zero));
      const __m128i all =
          _mm_or_si128(_mm_or_si128(ends, others), _mm_cmpeq_epi8(bytes, delimiters));
      mask |= static_cast<uint64_t>(static_cast<uint16_t>(_mm_movemask_epi8(all))) << i;
    }
    return mask;
  }
#else
  static uint64_t MaskOf(const char* block, char delimiter) {
    uint64_t mask = 0;
    for (size_t i = 0; i < kBlock; ++i) {
      const char c = block[i];
      const bool meant = c == delimiter || c == '"' || c == '\n' || c == '\r' || c == '\0';
      mask |= static_cast<uint64_t>(meant) << i;
    }
    return mask;
  }
#endif

  const char* block_;
  char delimiter_;
  uint64_t mask_;
};

}  // namespace reckon::tables
