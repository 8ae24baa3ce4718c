// JSON lines over a connected socket: how a supervisor and its keepers talk.
#pragma once

#include <chrono>
#include <optional>
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

  // kUnavailable when the other side is gone, or takes nothing for `limit` (without one it is
  // waited for as long as it is there): then the rest of the line goes ahead of the next one. What
  // the other side sent can still be received.
  base::Status Send(const base::Json& message,
                    std::optional<std::chrono::milliseconds> limit = std::nullopt);

  // Without waiting; false when the other side has too much to read already, and the message is
  // dropped. For what will be told again.
  bool Offer(const base::Json& message);

  // What has arrived, without waiting. Lines that are no JSON objects are left out.
  std::vector<base::Json> Receive();

  // The other side is gone, and everything it sent was received.
  bool closed() const { return closed_; }

 private:
  // Sends what the kernel takes at once; whether all of it is sent.
  bool Flush();

  int descriptor_;
  std::string unsent_;  // the rest of a line that is on its way, and what follows it
  std::string rest_;    // received, without the end of its line
  bool closed_ = false;
  bool mute_ = false;  // nobody is there to send to
};

}  // namespace reckon::act
