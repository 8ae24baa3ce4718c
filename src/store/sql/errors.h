// What can happen to any store, in the same words for every technology.
#pragma once

#include <chrono>
#include <string_view>

#include "base/result.h"

namespace reckon::store {

base::Error LockedError(std::string_view store, std::chrono::milliseconds waited);
base::Error DiskFullError(std::string_view store);
base::Error ReadOnlyError(std::string_view store);

}  // namespace reckon::store
