#include "base/units.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace reckon::base {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array<Unit, 9> kDurationUnits{{{"us", 1e-6},
                                              {"ms", 1e-3},
                                              {"s", 1},
                                              {"min", 60},
                                              {"m", 60},
                                              {"h", 3600},
                                              {"d", 86400},
                                              {"w", 604800},
                                              {"", 1}}};

constexpr std::array<Unit, 11> kByteUnits{{{"", 1},
                                           {"B", 1},
                                           {"KB", 1e3},
                                           {"MB", 1e6},
                                           {"GB", 1e9},
                                           {"TB", 1e12},
                                           {"KiB", 1024.0},
                                           {"MiB", 1048576.0},
                                           {"GiB", 1073741824.0},
                                           {"TiB", 1099511627776.0},
                                           {"kB", 1e3}}};

template <size_t N>
std::optional<double> FactorOf(const std::array<Unit, N>& units, std::string_view name) {
  for (const Unit& unit : units) {
    if (unit.name == name) return unit.factor;
  }
  return std::nullopt;
}

bool IsNumberChar(char c) { return (c >= '0' && c <= '9') || c == '.'; }

// Takes "12.5unit" off the front of `text`; nullopt when it does not start with a number.
std::optional<std::pair<double, std::string_view>> TakeQuantity(std::string_view& text) {
  size_t digits = 0;
  while (digits < text.size() && IsNumberChar(text[digits])) ++digits;
  const std::optional<double> number = ParseNumber(text.substr(0, digits));
  if (!number) return std::nullopt;
  size_t end = digits;
  while (end < text.size() && !IsNumberChar(text[end])) ++end;
  const std::string_view unit = Trim(text.substr(digits, end - digits));
  text.remove_prefix(end);
  return std::pair{*number, unit};
}

}  // namespace

Result<double> ParseDurationS(std::string_view text) {
  const auto bad = [&] {
    return BadInput(
        fmt::format("'{}' is not a duration; expected e.g. 90s, 30m, 1.5h or 1h30m", text));
  };
  std::string_view rest = Trim(text);
  if (rest.empty()) return bad();
  double seconds = 0;
  int parts = 0;
  while (!rest.empty()) {
    const auto quantity = TakeQuantity(rest);
    if (!quantity) return bad();
    const auto factor = FactorOf(kDurationUnits, quantity->second);
    if (!factor) return bad();
    // Without a unit it is seconds, but only alone: the 30 of "1h30" could be either.
    const bool whole = parts == 0 && rest.empty();
    if (quantity->second.empty() && !whole) return bad();
    seconds += quantity->first * *factor;
    ++parts;
  }
  if (!std::isfinite(seconds)) return bad();
  return seconds;
}

std::string FormatDuration(double seconds) {
  if (!std::isfinite(seconds)) return "unknown";
  if (seconds < 0) return "-" + FormatDuration(-seconds);
  if (seconds == 0) return "0 s";
  if (seconds < 1e-3) return FormatNumber(seconds * 1e6) + " us";
  if (seconds < 1) return FormatNumber(seconds * 1e3) + " ms";
  if (seconds < 120) return FormatNumber(seconds) + " s";
  const auto whole = static_cast<int64_t>(std::llround(std::min(seconds, 9e15)));
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  if (whole < 172800) return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
  return fmt::format("{} d {} h", whole / 86400, whole % 86400 / 3600);
}

Result<uint64_t> ParseBytes(std::string_view text) {
  std::string_view rest = Trim(text);
  const auto quantity = TakeQuantity(rest);
  if (quantity && rest.empty()) {
    if (const auto factor = FactorOf(kByteUnits, quantity->second)) {
      const double bytes = quantity->first * *factor;
      if (bytes < 1.8e19) return static_cast<uint64_t>(bytes);
    }
  }
  return BadInput(fmt::format("'{}' is not a size; expected e.g. 512, 56KB or 1.5GiB", text));
}

std::string FormatBytes(uint64_t bytes) {
  constexpr std::array<const char*, 7> kNames{"B", "KB", "MB", "GB", "TB", "PB", "EB"};
  auto value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 999.5 && unit + 1 < kNames.size()) {
    value /= 1000;
    ++unit;
  }
  return fmt::format("{:.3g} {}", value, kNames[unit]);
}

std::string FormatNumber(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : (value > 0 ? "inf" : "-inf");
  const double size = std::fabs(value);
  if (size == 0) return "0";  // of either sign
  if (size >= 1000 && size < 1e7) return fmt::format("{:.0f}", value);
  return fmt::format("{:.4g}", value);
}

}  // namespace reckon::base
