// Durations, sizes and money as people write and read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace reckon::base {

// "90", "90s", "1.5h", "30m", "250ms", "2d", "1h30m" -> seconds (>= 0). Without a unit it is
// seconds, but only alone: "1h30" could mean either and is refused.
Result<double> ParseDurationS(std::string_view text);

// 0.00042 -> "420 us", 12.3 -> "12.3 s", 5025 -> "1 h 23 min", 200000 -> "2 d 7 h".
std::string FormatDuration(double seconds);

// "512", "56KB", "1.5GiB" -> bytes; KB = 1000, KiB = 1024.
Result<uint64_t> ParseBytes(std::string_view text);
std::string FormatBytes(uint64_t bytes);

// Four significant digits, no needless zeros, no exponent between 1e-4 and 1e7: for tables that
// people read. Files get shortest round-trip numbers instead.
std::string FormatNumber(double value);

}  // namespace reckon::base
