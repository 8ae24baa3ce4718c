#include "cli/overrides.h"

#include <fmt/format.h>

namespace reckon::cli {

base::Result<std::vector<spec::Override>> ReadOverrides(const std::vector<std::string>& texts,
                                                        const char* option) {
  std::vector<spec::Override> overrides;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return base::BadInput(
          fmt::format("{} {}: expected KEY=VALUE, like trainer.batch=64", option, text));
    }
    overrides.push_back({text.substr(0, equals), text.substr(equals + 1)});
  }
  return overrides;
}

}  // namespace reckon::cli
