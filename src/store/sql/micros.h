// Times as the store keeps them: microseconds since 1970, UTC.
#pragma once

#include <cstdint>

#include "base/clock.h"

namespace reckon::store {

inline int64_t ToMicros(base::WallTime time) { return time.time_since_epoch().count(); }

inline base::WallTime FromMicros(int64_t micros) {
  return base::WallTime(std::chrono::microseconds(micros));
}

}  // namespace reckon::store
