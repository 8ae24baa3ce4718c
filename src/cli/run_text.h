// A run as `status` prints it, from the JSON that both this machine's store and managers elsewhere
// give.
#pragma once

#include <string>

#include "base/json.h"

namespace reckon::cli {

// "run 7 'digits': running for 3 s", with notes and progress on lines of their own.
std::string RunHeadline(const base::Json& run);
// All of it: headline, epochs, stages, processes, parts, forecast.
std::string RunText(const base::Json& run);

}  // namespace reckon::cli
