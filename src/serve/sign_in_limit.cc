#include "serve/sign_in_limit.h"

#include <algorithm>
#include <array>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>

namespace reckon::serve {
namespace {

using std::chrono::ceil;
using std::chrono::seconds;

std::string SourceOf(const std::string& address) {
  in6_addr whole{};
  if (inet_pton(AF_INET6, address.c_str(), &whole) != 1) return address;
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (IN6_IS_ADDR_V4MAPPED(&whole)) {
    return inet_ntop(AF_INET, whole.s6_addr + 12, text.data(), text.size());
  }
  std::memset(whole.s6_addr + 8, 0, 8);
  return inet_ntop(AF_INET6, &whole, text.data(), text.size());
}

}  // namespace

std::optional<seconds> SignInLimit::Wait(const std::string& address,
                                         base::MonotonicTime now) const {
  const auto found = known_.find(SourceOf(address));
  if (found == known_.end() || found->second->wait_until <= now) return std::nullopt;
  return std::max(seconds(1), ceil<seconds>(found->second->wait_until - now));
}

void SignInLimit::Fail(const std::string& address, base::MonotonicTime now) {
  const std::string source = SourceOf(address);
  const auto found = known_.find(source);
  if (found == known_.end()) {
    entries_.push_front({source, 0, now, now});
    known_.emplace(source, entries_.begin());
    if (known_.size() > limits_.most_sources) {
      known_.erase(entries_.back().source);
      entries_.pop_back();
    }
  } else {
    entries_.splice(entries_.begin(), entries_, found->second);
  }
  Entry& entry = entries_.front();
  if (now - entry.failed_at >= limits_.forget_after) entry.failures = 0;
  entry.failed_at = now;
  ++entry.failures;
  if (entry.failures <= limits_.free_failures) return;
  constexpr int kMostDoublings = 30;
  const int doublings = std::min(entry.failures - limits_.free_failures - 1, kMostDoublings);
  const seconds wait = limits_.first_wait * (int64_t{1} << doublings);
  entry.wait_until = now + std::min(wait, limits_.longest_wait);
}

}  // namespace reckon::serve
