// How a store is opened, whatever technology keeps it.
#pragma once

#include <chrono>

namespace reckon::store {

struct OpenOptions {
  // How long a call waits for another process before it gives up with kUnavailable.
  std::chrono::milliseconds busy_timeout{5000};
  // Whether a store that does not exist is made; otherwise it is kNotFound.
  bool create = true;
};

}  // namespace reckon::store
