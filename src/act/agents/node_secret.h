// By what a manager knows that an agent speaks for its node.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/result.h"

namespace reckon::act {

// Of the agent's folder; nullopt: there is none yet. kCorrupt: the file holds none. kBadInput:
// others may read it.
base::Result<std::optional<std::string>> FindNodeSecret(const std::filesystem::path& folder);
// Makes one, on disk and for this user alone before it is shown to anybody.
base::Result<std::string> MakeNodeSecret(const std::filesystem::path& folder);

}  // namespace reckon::act
