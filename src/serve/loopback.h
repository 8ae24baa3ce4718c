// Addresses that only this machine reaches.
#pragma once

#include <string>

namespace reckon::serve {

inline bool IsLoopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

}  // namespace reckon::serve
