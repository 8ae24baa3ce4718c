// KEY=VALUE in place of what a file says.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "spec/job_file.h"

namespace reckon::cli {

// kBadInput, with the option's name: one is not KEY=VALUE.
base::Result<std::vector<spec::Override>> ReadOverrides(const std::vector<std::string>& texts,
                                                        const char* option = "--set");

}  // namespace reckon::cli
