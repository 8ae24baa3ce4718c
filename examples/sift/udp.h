// Datagrams to a receiver, and the receiver.
#pragma once

#include <cstdint>
#include <span>

#include "base/result.h"
#include "net/tcp.h"

namespace sift {

class UdpSocket {
 public:
  // kUnavailable when the name is not known.
  static reckon::base::Result<UdpSocket> Connect(const reckon::net::Address& address);
  // Port 0: one that is free.
  static reckon::base::Result<UdpSocket> Bind(const reckon::net::Address& address);
  ~UdpSocket();
  UdpSocket(UdpSocket&& other) noexcept;
  UdpSocket(const UdpSocket&) = delete;
  UdpSocket& operator=(const UdpSocket&) = delete;
  UdpSocket& operator=(UdpSocket&&) = delete;

  uint16_t port() const;

  // In datagrams of at most 1400 bytes. Nobody knows whether they arrive; a receiver that is away
  // is no error. Returns how many bytes the system took.
  size_t Send(std::span<const uint8_t> bytes) const;
  // The size of one datagram; -1 when none comes within `limit_ms`.
  int Receive(int limit_ms) const;

 private:
  explicit UdpSocket(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace sift
