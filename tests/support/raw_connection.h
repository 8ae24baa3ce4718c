// A connection on which tests write and read bytes as they are.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "net/tcp.h"

namespace reckon::support {

class RawConnection {
 public:
  // To this machine. Reading gives up after `patience`.
  explicit RawConnection(uint16_t port,
                         std::chrono::milliseconds patience = std::chrono::milliseconds(5000))
      : stream_(
            net::Stream::Connect({"127.0.0.1", port}, std::chrono::milliseconds(2000)).value()) {
    stream_.set_patience(patience);
  }

  void Send(std::string_view text) {
    ASSERT_TRUE(stream_.Write(std::as_bytes(std::span(text.data(), text.size()))).ok());
  }
  // Until what was read ends so, or nothing more comes.
  std::string ReadUntil(std::string_view end) {
    std::string text;
    std::array<std::byte, 1> byte{};
    while (!text.ends_with(end) && stream_.Read(byte).ok()) text += static_cast<char>(byte[0]);
    return text;
  }
  std::string ReadAll() { return ReadUntil(std::string_view("\0never\0", 7)); }

 private:
  net::Stream stream_;
};

}  // namespace reckon::support
