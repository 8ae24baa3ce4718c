// JSON lines over a connected socket: how a supervisor and its keepers talk.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace reckon::act {

// Owns the descriptor. Not thread-safe.
class LineChannel {
 public:
  // Closed when executing another program, and never waited for by the kernel.
  explicit LineChannel(int descriptor);
  ~LineChannel();
  LineChannel(LineChannel&& other) noexcept;
  LineChannel& operator=(LineChannel&&) = delete;
  LineChannel(const LineChannel&) = delete;
  LineChannel& operator=(const LineChannel&) = delete;

  int descriptor() const { return descriptor_; }

  // kUnavailable when the other side is gone, or takes nothing for `limit`; nothing more is sent
  // then, since half a line may be on its way. What it sent can still be received.
  base::Status Send(const base::Json& message, std::chrono::milliseconds limit);

  // What has arrived, without waiting. Lines that are no JSON objects are left out.
  std::vector<base::Json> Receive();

  // The other side is gone, and everything it sent was received.
  bool closed() const { return closed_; }

 private:
  int descriptor_;
  std::string rest_;
  bool closed_ = false;
  bool mute_ = false;  // a Send has failed
};

}  // namespace reckon::act
