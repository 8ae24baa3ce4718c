// TCP streams that never wait for ever: every read and write has a limit on how long the other side
// may stand still.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "base/result.h"

namespace reckon::net {

struct Address {
  std::string host;  // a name or a number
  uint16_t port = 0;

  std::string ToText() const;  // "host:port", "[::1]:port"
};

// "host:port"; kBadInput otherwise.
base::Result<Address> ParseAddress(const std::string& text);

// A connected stream. One thread may read while another writes; Shutdown may come from any thread.
class Stream {
 public:
  // kUnavailable when nobody listens or answers within `limit`.
  static base::Result<Stream> Connect(const Address& address, std::chrono::milliseconds limit);

  explicit Stream(int descriptor);
  ~Stream();
  Stream(Stream&& other) noexcept;
  Stream& operator=(Stream&& other) noexcept;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // How long the other side may take no byte and give none; the time-out is kFailed.
  void set_patience(std::chrono::milliseconds patience) { patience_ = patience; }

  // All bytes or an error: kUnavailable when the other side closed or reset (trying again may
  // work), kFailed when it stands still (trying again would wait as long).
  base::Status Read(std::span<std::byte> bytes);
  base::Status Write(std::span<const std::byte> bytes);
  // Both as one packet where that is possible.
  base::Status Write(std::span<const std::byte> head, std::span<const std::byte> rest);

  // Ends every Read and Write, here and on the other side.
  void Shutdown();

 private:
  base::Status WaitFor(short events) const;

  int descriptor_;
  std::chrono::milliseconds patience_{30'000};
};

// Accepts connections. Close may come from any thread and ends Accept.
class Listener {
 public:
  // Port 0: any free one. kUnavailable when the port is taken.
  static base::Result<Listener> Bind(const Address& address);
  ~Listener();
  Listener(Listener&& other) noexcept;
  Listener& operator=(Listener&&) = delete;
  Listener(const Listener&) = delete;
  Listener& operator=(const Listener&) = delete;

  uint16_t port() const { return port_; }
  // kInterrupted after Close. Waits while the machine has no descriptor or memory for one more.
  base::Result<Stream> Accept();
  void Close();

 private:
  Listener(int descriptor, int wake, uint16_t port);

  int descriptor_;
  int wake_;  // readable once closed
  uint16_t port_;
};

}  // namespace reckon::net
