#include "store/sql/errors.h"

#include <fmt/format.h>

#include "base/units.h"

namespace reckon::store {

using base::Error;
using base::ErrorCode;

Error LockedError(std::string_view store, std::chrono::milliseconds waited) {
  return {ErrorCode::kUnavailable,
          fmt::format("store '{}' is locked by another process (waited {})", store,
                      base::FormatDuration(std::chrono::duration<double>(waited).count()))};
}

Error DiskFullError(std::string_view store) {
  return {ErrorCode::kIo, fmt::format("store '{}': the disk is full; nothing was written", store)};
}

Error ReadOnlyError(std::string_view store) {
  return {ErrorCode::kIo, fmt::format("store '{}' is read-only", store)};
}

}  // namespace reckon::store
