#include "act/local/line_channel.h"

#include <array>
#include <cerrno>
#include <utility>

#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace reckon::act {

LineChannel::LineChannel(int descriptor) : descriptor_(descriptor) {
  (void)fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  (void)fcntl(descriptor, F_SETFL, O_NONBLOCK);
}

LineChannel::~LineChannel() {
  if (descriptor_ >= 0) close(descriptor_);
}

LineChannel::LineChannel(LineChannel&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      unsent_(std::move(other.unsent_)),
      rest_(std::move(other.rest_)),
      closed_(other.closed_),
      mute_(other.mute_) {}

bool LineChannel::Flush() {
  while (!unsent_.empty() && !mute_) {
    const ssize_t taken =
        send(descriptor_, unsent_.data(), unsent_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (taken >= 0) {
      unsent_.erase(0, static_cast<size_t>(taken));
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      return false;
    } else if (errno != EINTR) {
      mute_ = true;
    }
  }
  return unsent_.empty();
}

base::Status LineChannel::Send(const base::Json& message,
                               std::optional<std::chrono::milliseconds> limit) {
  unsent_ += base::DumpJsonLine(message) + "\n";
  while (!Flush() && !mute_) {
    pollfd wait{descriptor_, POLLOUT, 0};
    if (poll(&wait, 1, limit ? static_cast<int>(limit->count()) : -1) == 0) {
      return base::Error(base::ErrorCode::kUnavailable,
                         "the other side of the channel takes nothing");
    }
  }
  if (!mute_) return {};
  return base::Error(base::ErrorCode::kUnavailable, "the other side of the channel is gone");
}

bool LineChannel::Offer(const base::Json& message) {
  if (!Flush()) return false;
  const std::string line = base::DumpJsonLine(message) + "\n";
  unsent_ = line;
  if (Flush() || unsent_.size() < line.size()) return true;  // a line that has begun must end
  unsent_.clear();
  return false;
}

std::vector<base::Json> LineChannel::Receive() {
  std::array<char, 65536> buffer{};
  while (!closed_) {
    const ssize_t got = recv(descriptor_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got > 0) {
      rest_.append(buffer.data(), static_cast<size_t>(got));
    } else if (got == 0) {
      closed_ = true;
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      break;
    } else if (errno != EINTR) {
      closed_ = true;
    }
  }
  std::vector<base::Json> messages;
  size_t begin = 0;
  for (size_t end = rest_.find('\n'); end != std::string::npos; end = rest_.find('\n', begin)) {
    auto message = base::ParseJson(std::string_view(rest_).substr(begin, end - begin), "channel");
    if (message.ok() && message->is_object()) messages.push_back(std::move(message).value());
    begin = end + 1;
  }
  rest_.erase(0, begin);
  return messages;
}

}  // namespace reckon::act
