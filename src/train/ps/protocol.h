// What workers and parameter servers say to each other over a stream.
//
// A message is a head of 24 bytes and a body, numbers in little-endian order:
//
//   head: magic "RKP1", kind (4 bytes), bytes of the body (8), number (8; what it means is the
//   kind's)
//
//   worker  -> kHello       body: JSON {"worker", "workers", "size", "token"}
//   server  -> kWelcome     body: JSON {"initialised", "pushed", "offers"}: whether there are
//                          parameters, how many gradients of this worker there were, and the steps
//                          that checkpoints of a synchronous run have
//   worker  -> kResume      number: the one of the offers that all servers have
//   worker  -> kInitial     body: floats; only the worker that a kWelcome told that there are none
//   worker  -> kPush        number: 1 if this worker wants the training to end with this step's
//                          epoch, else 0; body: weight (8 bytes, double), floats
//   server  -> kReceived    as soon as all of the push is there; number: microseconds of that time
//                          that went into applying it
//   server  -> kParameters  number: steps of the server, and kEnds when a worker of this
//   synchronous
//                          step wants the training to end; body: floats
//   worker  -> kPull        answered by kParameters
//   worker  -> kAlive       it does something that takes no messages, and makes progress
//   server  -> kWait        once an interval, to a worker that waits for others: both live
//   worker  -> kLeave       it has no more to send; the others go on
//   server  -> kRefused     body: why, in words; the connection ends
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "net/tcp.h"

namespace reckon::train {

enum class MessageKind : uint32_t {
  kHello = 1,
  kWelcome,
  kInitial,
  kPush,
  kReceived,
  kParameters,
  kPull,
  kLeave,
  kRefused,
  kResume,
  kAlive,
  kWait,
};

inline constexpr uint64_t kEnds = uint64_t{1} << 63;

struct MessageHead {
  MessageKind kind = MessageKind::kHello;
  uint64_t bytes = 0;
  uint64_t number = 0;
};

inline constexpr uint64_t kLongestText = 1 << 16;

// How many of `size` parameters server `index` of so many keeps: ranges one after the other that
// differ in size by at most one.
size_t PartSize(size_t size, size_t servers, size_t index);

// kCorrupt when the other side does not speak this language.
base::Result<MessageHead> ReadHead(net::Stream& stream);
// kCorrupt when it is longer than kLongestText.
base::Result<std::string> ReadText(net::Stream& stream, const MessageHead& head);

base::Status SendHead(net::Stream& stream, MessageKind kind, uint64_t number, uint64_t bytes);
// The head together with the beginning of its body, so that the other side wakes up once.
base::Status SendHead(net::Stream& stream, MessageKind kind, uint64_t number, uint64_t bytes,
                      std::span<const std::byte> beginning);
base::Status SendPush(net::Stream& stream, double weight, std::span<const float> gradients,
                      bool wants_end = false);
base::Status SendText(net::Stream& stream, MessageKind kind, std::string_view text);
base::Status SendFloats(net::Stream& stream, MessageKind kind, std::span<const float> floats);

}  // namespace reckon::train
