#include "cli/amounts.h"

#include <fmt/format.h>

#include "base/text.h"
#include "base/units.h"

namespace reckon::cli {

base::Result<std::optional<double>> AmountOf(const std::string& text, const char* option) {
  if (text.empty()) return std::optional<double>();
  const auto number = base::ParseNumber(text);
  if (!number || !(*number > 0)) {
    return base::BadInput(fmt::format("{} {}: expected an amount above 0", option, text));
  }
  return std::optional(*number);
}

base::Result<std::optional<double>> DurationOf(const std::string& text, const char* option) {
  if (text.empty()) return std::optional<double>();
  auto seconds = base::ParseDurationS(text);
  if (!seconds.ok()) return std::move(seconds).error().Wrap(option);
  return std::optional(*seconds);
}

}  // namespace reckon::cli
