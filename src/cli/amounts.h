// Values of options that are amounts or durations: text, since nothing may be said at all.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"

namespace reckon::cli {

// Nothing for empty text. kBadInput names the option.
base::Result<std::optional<double>> AmountOf(const std::string& text, const char* option);
// Seconds.
base::Result<std::optional<double>> DurationOf(const std::string& text, const char* option);

}  // namespace reckon::cli
