// Waiting in tests for what other threads and processes do.
#pragma once

#include <chrono>
#include <functional>
#include <thread>

namespace reckon::support {

inline bool Within(std::chrono::milliseconds limit, const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + limit;
  while (!condition()) {
    if (std::chrono::steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace reckon::support
