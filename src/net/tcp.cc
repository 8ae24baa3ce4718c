#include "net/tcp.h"

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/text.h"

namespace reckon::net {
namespace {

using base::Error;
using base::ErrorCode;
using std::chrono::milliseconds;

constexpr milliseconds kPauseBetweenAccepts{100};

std::string SystemMessage(int code) {
  return std::error_code(code, std::generic_category()).message();
}

Error Unavailable(std::string message) { return {ErrorCode::kUnavailable, std::move(message)}; }

using AddressList = std::unique_ptr<addrinfo, decltype(&freeaddrinfo)>;

base::Result<AddressList> Resolve(const Address& address, bool passive) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV | (passive ? AI_PASSIVE : 0);
  addrinfo* found = nullptr;
  const std::string port = std::to_string(address.port);
  const int code = getaddrinfo(address.host.empty() ? nullptr : address.host.c_str(), port.c_str(),
                               &hints, &found);
  if (code != 0) {
    return Error(ErrorCode::kNotFound,
                 fmt::format("no address for '{}': {}", address.host, gai_strerror(code)));
  }
  return AddressList(found, &freeaddrinfo);
}

// 0 when connected, else the error number.
int ConnectWithin(int descriptor, const addrinfo& to, milliseconds limit) {
  if (connect(descriptor, to.ai_addr, to.ai_addrlen) == 0) return 0;
  if (errno != EINPROGRESS) return errno;
  pollfd wait{descriptor, POLLOUT, 0};
  const int ready = poll(&wait, 1, static_cast<int>(limit.count()));
  if (ready < 0) return errno;
  if (ready == 0) return ETIMEDOUT;
  int code = 0;
  socklen_t size = sizeof code;
  if (getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &size) != 0) return errno;
  return code;
}

void SendAtOnce(int descriptor) {
  const int on = 1;
  // Only speed depends on it; what is sent stays the same.
  (void)setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

}  // namespace

std::string Address::ToText() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port)
                                             : fmt::format("[{}]:{}", host, port);
}

base::Result<Address> ParseAddress(const std::string& text) {
  const size_t colon = text.rfind(':');
  const auto port = colon == std::string::npos
                        ? std::nullopt
                        : base::ParseInteger(std::string_view(text).substr(colon + 1));
  if (!port || *port < 0 || *port > 65535 || colon == 0) {
    return base::BadInput(fmt::format("'{}' is no address; expected HOST:PORT", text));
  }
  std::string host = text.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  return Address{std::move(host), static_cast<uint16_t>(*port)};
}

Stream::Stream(int descriptor) : descriptor_(descriptor) { SendAtOnce(descriptor); }

Stream::~Stream() {
  if (descriptor_ >= 0) close(descriptor_);
}

Stream::Stream(Stream&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), patience_(other.patience_) {}

Stream& Stream::operator=(Stream&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  patience_ = other.patience_;
  return *this;
}

base::Result<Stream> Stream::Connect(const Address& address, milliseconds limit) {
  RECKON_ASSIGN(const AddressList list, Resolve(address, false));
  int code = 0;
  for (const addrinfo* to = list.get(); to != nullptr; to = to->ai_next) {
    const int descriptor =
        socket(to->ai_family, to->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, to->ai_protocol);
    if (descriptor < 0) {
      code = errno;
      continue;
    }
    Stream stream(descriptor);
    code = ConnectWithin(descriptor, *to, limit);
    if (code == 0) return stream;
  }
  return Unavailable(
      fmt::format("cannot connect to {}: {}", address.ToText(), SystemMessage(code)));
}

base::Status Stream::WaitFor(short events) const {
  pollfd wait{descriptor_, events, 0};
  int ready = 0;
  do {
    ready = poll(&wait, 1, static_cast<int>(patience_.count()));
  } while (ready < 0 && errno == EINTR);
  if (ready < 0) return Error(ErrorCode::kIo, "poll: " + SystemMessage(errno));
  if (ready == 0) {
    return Error(ErrorCode::kFailed, fmt::format("the other side stood still for {} s",
                                                 static_cast<double>(patience_.count()) / 1000));
  }
  return {};
}

base::Status Stream::Read(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = recv(descriptor_, bytes.data(), bytes.size(), MSG_DONTWAIT);
    if (got > 0) {
      bytes = bytes.subspan(static_cast<size_t>(got));
    } else if (got == 0) {
      return Unavailable("the other side closed the connection");
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      RECKON_TRY(WaitFor(POLLIN));
    } else if (errno != EINTR) {
      return Unavailable("the connection broke: " + SystemMessage(errno));
    }
  }
  return {};
}

base::Status Stream::Write(std::span<const std::byte> bytes) { return Write({}, bytes); }

base::Status Stream::Write(std::span<const std::byte> head, std::span<const std::byte> rest) {
  while (!head.empty() || !rest.empty()) {
    // sendmsg takes them as not const, and does not change them.
    std::array<iovec, 2> parts{iovec{const_cast<std::byte*>(head.data()), head.size()},
                               iovec{const_cast<std::byte*>(rest.data()), rest.size()}};
    msghdr message{};
    message.msg_iov = parts.data();
    message.msg_iovlen = parts.size();
    const ssize_t sent = sendmsg(descriptor_, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) {
      const size_t of_head = std::min(head.size(), static_cast<size_t>(sent));
      head = head.subspan(of_head);
      rest = rest.subspan(static_cast<size_t>(sent) - of_head);
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      RECKON_TRY(WaitFor(POLLOUT));
    } else if (errno != EINTR) {
      return Unavailable("the connection broke: " + SystemMessage(errno));
    }
  }
  return {};
}

void Stream::Shutdown() { (void)shutdown(descriptor_, SHUT_RDWR); }

Listener::Listener(int descriptor, int wake, uint16_t port)
    : descriptor_(descriptor), wake_(wake), port_(port) {}

Listener::Listener(Listener&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)),
      wake_(std::exchange(other.wake_, -1)),
      port_(other.port_) {}

Listener::~Listener() {
  if (descriptor_ >= 0) close(descriptor_);
  if (wake_ >= 0) close(wake_);
}

base::Result<Listener> Listener::Bind(const Address& address) {
  RECKON_ASSIGN(const AddressList list, Resolve(address, true));
  int code = 0;
  for (const addrinfo* at = list.get(); at != nullptr; at = at->ai_next) {
    const int descriptor =
        socket(at->ai_family, at->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK, at->ai_protocol);
    if (descriptor < 0) {
      code = errno;
      continue;
    }
    Listener listener(descriptor, eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), 0);
    const int on = 1;
    sockaddr_storage own{};
    socklen_t size = sizeof own;
    if (listener.wake_ < 0 ||
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
        bind(descriptor, at->ai_addr, at->ai_addrlen) != 0 || listen(descriptor, SOMAXCONN) != 0 ||
        getsockname(descriptor, reinterpret_cast<sockaddr*>(&own), &size) != 0) {
      code = errno;
      continue;
    }
    listener.port_ =
        ntohs(own.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6*>(&own)->sin6_port
                                        : reinterpret_cast<const sockaddr_in*>(&own)->sin_port);
    return listener;
  }
  return Unavailable(fmt::format("cannot listen on {}: {}", address.ToText(), SystemMessage(code)));
}

base::Result<Stream> Listener::Accept() {
  while (true) {
    std::array<pollfd, 2> waits{pollfd{descriptor_, POLLIN, 0}, pollfd{wake_, POLLIN, 0}};
    if (poll(waits.data(), waits.size(), -1) < 0 && errno != EINTR) {
      return Error(ErrorCode::kIo, "poll: " + SystemMessage(errno));
    }
    if ((waits[1].revents & POLLIN) != 0) {
      return Error(ErrorCode::kInterrupted, "the listener was closed");
    }
    const int accepted = accept4(descriptor_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (accepted >= 0) return Stream(accepted);
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      // The one that came stays in the queue until others have gone.
      poll(&waits[1], 1, static_cast<int>(kPauseBetweenAccepts.count()));
      continue;
    }
    const bool again = errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR ||
                       errno == ECONNABORTED || errno == EPROTO;
    if (!again) return Error(ErrorCode::kIo, "accept: " + SystemMessage(errno));
  }
}

void Listener::Close() {
  const uint64_t one = 1;
  // A full counter is as readable as a new one.
  (void)!write(wake_, &one, sizeof one);
}

}  // namespace reckon::net
