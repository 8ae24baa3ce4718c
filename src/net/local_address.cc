#include "net/local_address.h"

#include <array>

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

namespace reckon::net {

// A datagram socket that is "connected" has an address of its own; no packet goes out for that.
base::Result<std::string> AddressTowards(const Address& other) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  addrinfo* found = nullptr;
  const std::string port = std::to_string(other.port);
  if (const int code = getaddrinfo(other.host.c_str(), port.c_str(), &hints, &found); code != 0) {
    return base::Error(base::ErrorCode::kNotFound,
                       fmt::format("no host '{}': {}", other.host, gai_strerror(code)));
  }
  std::string address;
  for (const addrinfo* one = found; one != nullptr && address.empty(); one = one->ai_next) {
    const int descriptor = socket(one->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) continue;
    sockaddr_storage own{};
    socklen_t length = sizeof own;
    std::array<char, NI_MAXHOST> text{};
    if (connect(descriptor, one->ai_addr, one->ai_addrlen) == 0 &&
        getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &length) == 0 &&
        getnameinfo(reinterpret_cast<sockaddr*>(&own), length, text.data(), text.size(), nullptr, 0,
                    NI_NUMERICHOST) == 0) {
      address = text.data();
    }
    close(descriptor);
  }
  freeaddrinfo(found);
  if (!address.empty()) return address;
  return base::Error(base::ErrorCode::kNotFound, fmt::format("there is no way to {}", other.host));
}

}  // namespace reckon::net
