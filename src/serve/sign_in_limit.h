// Who fails to sign in again and again has to wait, longer each time.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/clock.h"

namespace reckon::serve {

struct SignInLimits {
  int free_failures = 5;  // that cost no time
  std::chrono::seconds first_wait{1};
  std::chrono::seconds longest_wait{300};
  std::chrono::seconds forget_after{900};  // of silence
  size_t most_sources = 10'000;            // beyond, those who failed longest ago are forgotten
};

// Addresses of IPv6 count by their network of 64 bits, since whoever has one has them all. Not
// thread-safe.
class SignInLimit {
 public:
  explicit SignInLimit(const SignInLimits& limits) : limits_(limits) {}

  // How long this address has to wait, in whole seconds from 1 on; nullopt: not at all.
  std::optional<std::chrono::seconds> Wait(const std::string& address,
                                           base::MonotonicTime now) const;
  void Fail(const std::string& address, base::MonotonicTime now);
  size_t sources() const { return known_.size(); }

 private:
  struct Entry {
    std::string source;
    int failures = 0;
    base::MonotonicTime failed_at;
    base::MonotonicTime wait_until;
  };
  using Entries = std::list<Entry>;

  const SignInLimits limits_;
  Entries entries_;  // who failed last is first
  std::unordered_map<std::string, Entries::iterator> known_;
};

}  // namespace reckon::serve
