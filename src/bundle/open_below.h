// Files of a folder that somebody else may write to while we look.
#pragma once

#include <string_view>

#include "bundle/descriptor.h"

namespace reckon::bundle {

// Never through a link, whatever has become of the folders on the way. `name` from `folder` on with
// '/', "" for itself; `flags` as of open. Not ok(), with errno, when it cannot be opened.
Descriptor OpenBelow(const Descriptor& folder, std::string_view name, int flags);

}  // namespace reckon::bundle
