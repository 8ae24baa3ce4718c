#include "base/fingerprint.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include <fmt/format.h>

namespace reckon::base {

void Fingerprint::Add(std::string_view bytes) {
  constexpr uint64_t kPrime = 0x100000001b3ULL;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    low_ = (low_ ^ byte) * kPrime;
    high_ = (high_ ^ (byte + 0x9eU) ^ (low_ >> 32)) * kPrime;
  }
}

void Fingerprint::Add(double number) {
  // Equal numbers have equal bits: zero has two signs, and a missing number any of many.
  if (number == 0) number = 0;
  if (std::isnan(number)) number = std::numeric_limits<double>::quiet_NaN();
  const auto bits = std::bit_cast<std::array<char, sizeof(double)>>(number);
  Add(std::string_view(bits.data(), bits.size()));
}

std::string Fingerprint::Hex() const { return fmt::format("{:016x}{:016x}", high_, low_); }

}  // namespace reckon::base
