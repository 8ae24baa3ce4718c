#include "observe/probes/tcp_diag.h"

#include <array>
#include <cerrno>
#include <cstring>

#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/system_error.h"
#include "net/net_namespace.h"

namespace reckon::observe {
namespace {

using base::Error;

constexpr int kEndsBuffer = 8 << 20;
// TCP_LISTEN, TCP_TIME_WAIT, TCP_CLOSE and the two of half-made connections carry nothing.
constexpr uint32_t kStatesWithData =
    (1U << 1) | (1U << 4) | (1U << 5) | (1U << 8) | (1U << 9) | (1U << 11);

int OpenDiagSocket() { return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_SOCK_DIAG); }

// -1 without the permission.
int OpenEnds() {
  const int ends = OpenDiagSocket();
  if (ends < 0) return -1;
  const int size = kEndsBuffer;
  (void)setsockopt(ends, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof size);
  sockaddr_nl own{};
  own.nl_family = AF_NETLINK;
  bool joined = bind(ends, reinterpret_cast<sockaddr*>(&own), sizeof own) == 0;
  for (const int group : {SKNLGRP_INET_TCP_DESTROY, SKNLGRP_INET6_TCP_DESTROY}) {
    joined =
        joined && setsockopt(ends, SOL_NETLINK, NETLINK_ADD_MEMBERSHIP, &group, sizeof group) == 0;
  }
  if (joined) return ends;
  close(ends);
  return -1;
}

// The first field that an older kernel does not fill stays 0.
tcp_info InfoOf(const rtattr& attribute) {
  tcp_info info{};
  std::memcpy(&info, RTA_DATA(&attribute), std::min<size_t>(sizeof info, RTA_PAYLOAD(&attribute)));
  return info;
}

TcpSocket ParseSocket(const nlmsghdr& head) {
  const auto* message = static_cast<const inet_diag_msg*>(NLMSG_DATA(&head));
  TcpSocket found;
  found.cookie = (uint64_t{message->id.idiag_cookie[1]} << 32) | message->id.idiag_cookie[0];
  found.inode = message->idiag_inode;
  auto left = static_cast<int>(head.nlmsg_len - NLMSG_LENGTH(sizeof *message));
  const auto* attribute = reinterpret_cast<const rtattr*>(message + 1);
  for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
    if (attribute->rta_type == INET_DIAG_INFO) {
      const tcp_info info = InfoOf(*attribute);
      found.sent = info.tcpi_bytes_sent > 0 ? info.tcpi_bytes_sent - info.tcpi_bytes_retrans
                                            : info.tcpi_bytes_acked;
      found.received = info.tcpi_bytes_received;
    } else if (attribute->rta_type == INET_DIAG_CGROUP_ID) {
      std::memcpy(&found.cgroup_id, RTA_DATA(attribute), sizeof found.cgroup_id);
    }
  }
  return found;
}

}  // namespace

base::Result<std::unique_ptr<TcpDiag>> TcpDiag::Open(const std::string& netns) {
  std::unique_ptr<TcpDiag> diag;
  const auto make = [&]() -> base::Status {
    const int questions = OpenDiagSocket();
    if (questions < 0) return base::SystemError("cannot ask the kernel for sockets");
    diag.reset(new TcpDiag(questions, OpenEnds()));
    return {};
  };
  // A netlink socket belongs to the namespace in which it was made.
  RECKON_TRY(netns.empty() ? make() : net::InNamespace(netns, make));
  const timeval limit{2, 0};
  (void)setsockopt(diag->questions_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  return diag;
}

TcpDiag::~TcpDiag() {
  if (questions_ >= 0) close(questions_);
  if (ends_ >= 0) close(ends_);
}

base::Status TcpDiag::ListFamily(uint8_t family, std::vector<TcpSocket>& sockets) {
  struct {
    nlmsghdr head;
    inet_diag_req_v2 request;
  } question{};
  question.head.nlmsg_len = sizeof question;
  question.head.nlmsg_type = SOCK_DIAG_BY_FAMILY;
  question.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  question.request.sdiag_family = family;
  question.request.sdiag_protocol = IPPROTO_TCP;
  question.request.idiag_ext = 1U << (INET_DIAG_INFO - 1);
  question.request.idiag_states = kStatesWithData;
  if (send(questions_, &question, sizeof question, 0) < 0) return base::SystemError("sock_diag");
  alignas(nlmsghdr) std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t count = recv(questions_, buffer.data(), buffer.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return base::SystemError("sock_diag");
    auto left = static_cast<unsigned>(count);
    const auto* head = reinterpret_cast<const nlmsghdr*>(buffer.data());
    for (; NLMSG_OK(head, left); head = NLMSG_NEXT(head, left)) {
      if (head->nlmsg_type == NLMSG_DONE) return {};
      if (head->nlmsg_type == NLMSG_ERROR) {
        errno = -static_cast<const nlmsgerr*>(NLMSG_DATA(head))->error;
        return base::SystemError("sock_diag");
      }
      if (head->nlmsg_len >= NLMSG_LENGTH(sizeof(inet_diag_msg))) {
        sockets.push_back(ParseSocket(*head));
      }
    }
  }
}

base::Result<std::vector<TcpSocket>> TcpDiag::List() {
  std::vector<TcpSocket> sockets;
  RECKON_TRY(ListFamily(AF_INET, sockets));
  RECKON_TRY(ListFamily(AF_INET6, sockets));
  return sockets;
}

std::vector<TcpSocket> TcpDiag::Ended(bool& lost) {
  std::vector<TcpSocket> sockets;
  if (ends_ < 0) return sockets;
  alignas(nlmsghdr) std::array<char, 65536> buffer{};
  for (;;) {
    const ssize_t count = recv(ends_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (count < 0 && errno == ENOBUFS) {
      lost = true;
      continue;
    }
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return sockets;
    auto left = static_cast<unsigned>(count);
    const auto* head = reinterpret_cast<const nlmsghdr*>(buffer.data());
    for (; NLMSG_OK(head, left); head = NLMSG_NEXT(head, left)) {
      if (head->nlmsg_type == SOCK_DIAG_BY_FAMILY &&
          head->nlmsg_len >= NLMSG_LENGTH(sizeof(inet_diag_msg))) {
        sockets.push_back(ParseSocket(*head));
      }
    }
  }
}

}  // namespace reckon::observe
