#include "train/ps/protocol.h"

#include <array>
#include <bit>
#include <cstring>

#include <fmt/format.h>

namespace reckon::train {
namespace {

static_assert(std::endian::native == std::endian::little,
              "messages are sent as they lie in memory");

constexpr std::array<char, 4> kMagic{'R', 'K', 'P', '1'};

using HeadBytes = std::array<std::byte, 24>;

HeadBytes Encode(MessageKind kind, uint64_t number, uint64_t bytes) {
  HeadBytes head{};
  const auto code = static_cast<uint32_t>(kind);
  std::memcpy(head.data(), kMagic.data(), 4);
  std::memcpy(head.data() + 4, &code, 4);
  std::memcpy(head.data() + 8, &bytes, 8);
  std::memcpy(head.data() + 16, &number, 8);
  return head;
}

}  // namespace

size_t PartSize(size_t size, size_t servers, size_t index) {
  return size / servers + (index < size % servers ? 1 : 0);
}

base::Result<MessageHead> ReadHead(net::Stream& stream) {
  HeadBytes bytes;
  RECKON_TRY(stream.Read(bytes));
  if (std::memcmp(bytes.data(), kMagic.data(), 4) != 0) {
    return base::Corrupt("the other side does not speak the parameter server's language");
  }
  MessageHead head;
  uint32_t kind = 0;
  std::memcpy(&kind, bytes.data() + 4, 4);
  std::memcpy(&head.bytes, bytes.data() + 8, 8);
  std::memcpy(&head.number, bytes.data() + 16, 8);
  if (kind < 1 || kind > static_cast<uint32_t>(MessageKind::kWait)) {
    return base::Corrupt(fmt::format("a message of unknown kind {}", kind));
  }
  head.kind = static_cast<MessageKind>(kind);
  return head;
}

base::Result<std::string> ReadText(net::Stream& stream, const MessageHead& head) {
  if (head.bytes > kLongestText) {
    return base::Corrupt(
        fmt::format("a text of {} bytes; expected at most {}", head.bytes, kLongestText));
  }
  std::string text(head.bytes, '\0');
  RECKON_TRY(stream.Read(std::as_writable_bytes(std::span(text))));
  return text;
}

base::Status SendHead(net::Stream& stream, MessageKind kind, uint64_t number, uint64_t bytes) {
  return stream.Write(Encode(kind, number, bytes));
}

base::Status SendHead(net::Stream& stream, MessageKind kind, uint64_t number, uint64_t bytes,
                      std::span<const std::byte> beginning) {
  return stream.Write(Encode(kind, number, bytes), beginning);
}

base::Status SendPush(net::Stream& stream, double weight, std::span<const float> gradients,
                      bool wants_end) {
  const HeadBytes head =
      Encode(MessageKind::kPush, wants_end ? 1 : 0, sizeof weight + gradients.size_bytes());
  std::array<std::byte, std::tuple_size_v<HeadBytes> + sizeof weight> front;
  std::memcpy(front.data(), head.data(), head.size());
  std::memcpy(front.data() + head.size(), &weight, sizeof weight);
  return stream.Write(front, std::as_bytes(gradients));
}

base::Status SendText(net::Stream& stream, MessageKind kind, std::string_view text) {
  return stream.Write(Encode(kind, 0, text.size()), std::as_bytes(std::span(text)));
}

base::Status SendFloats(net::Stream& stream, MessageKind kind, std::span<const float> floats) {
  return stream.Write(Encode(kind, 0, floats.size_bytes()), std::as_bytes(floats));
}

}  // namespace reckon::train
