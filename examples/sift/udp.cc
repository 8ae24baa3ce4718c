#include "udp.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>

#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/system_error.h"

namespace sift {
namespace {

using reckon::base::Error;
using reckon::base::ErrorCode;
using reckon::base::Result;
using reckon::base::SystemError;
using reckon::net::Address;

constexpr size_t kMostDatagramBytes = 1400;
constexpr int kReceiveBufferBytes = 4 << 20;  // a frame comes all at once

// `use`: connect or bind.
template <typename Use>
Result<int> Open(const Address& address, int flags, Use use) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_DGRAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  const int problem = getaddrinfo(address.host.empty() ? nullptr : address.host.c_str(),
                                  std::to_string(address.port).c_str(), &hints, &found);
  if (problem != 0) {
    return Error(ErrorCode::kUnavailable, address.ToText() + ": " + gai_strerror(problem));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> list(found, &freeaddrinfo);
  const int descriptor = socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0) return SystemError(address.ToText());
  if (use(descriptor, found->ai_addr, found->ai_addrlen) != 0) {
    const Error error = SystemError(address.ToText());
    close(descriptor);
    return error;
  }
  return descriptor;
}

}  // namespace

Result<UdpSocket> UdpSocket::Connect(const Address& address) {
  RECKON_ASSIGN(const int descriptor, Open(address, 0, connect));
  return UdpSocket(descriptor);
}

Result<UdpSocket> UdpSocket::Bind(const Address& address) {
  RECKON_ASSIGN(const int descriptor, Open(address, AI_PASSIVE, bind));
  // The whole of it for root, for others as much as the system allows.
  for (const int option : {SO_RCVBUF, SO_RCVBUFFORCE}) {
    (void)setsockopt(descriptor, SOL_SOCKET, option, &kReceiveBufferBytes,
                     sizeof(kReceiveBufferBytes));
  }
  return UdpSocket(descriptor);
}

UdpSocket::~UdpSocket() {
  if (descriptor_ >= 0) close(descriptor_);
}

UdpSocket::UdpSocket(UdpSocket&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

uint16_t UdpSocket::port() const {
  sockaddr_storage address{};
  socklen_t size = sizeof(address);
  if (getsockname(descriptor_, reinterpret_cast<sockaddr*>(&address), &size) != 0) return 0;
  return ntohs(address.ss_family == AF_INET6
                   ? reinterpret_cast<const sockaddr_in6&>(address).sin6_port
                   : reinterpret_cast<const sockaddr_in&>(address).sin_port);
}

size_t UdpSocket::Send(std::span<const uint8_t> bytes) const {
  size_t sent = 0;
  while (!bytes.empty()) {
    const auto datagram = bytes.first(std::min(bytes.size(), kMostDatagramBytes));
    bytes = bytes.subspan(datagram.size());
    if (send(descriptor_, datagram.data(), datagram.size(), 0) > 0) sent += datagram.size();
  }
  return sent;
}

int UdpSocket::Receive(int limit_ms) const {
  pollfd waiting{descriptor_, POLLIN, 0};
  if (poll(&waiting, 1, limit_ms) <= 0) return -1;
  std::array<uint8_t, 1 << 16> datagram;  // NOLINT(*-member-init): is written before it is read
  return static_cast<int>(recv(descriptor_, datagram.data(), datagram.size(), MSG_DONTWAIT));
}

}  // namespace sift
