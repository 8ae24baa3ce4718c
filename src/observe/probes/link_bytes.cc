#include "observe/probes/link_bytes.h"

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/system_error.h"
#include "net/net_namespace.h"

namespace reckon::observe {
namespace {

// The kernel fills at most this much at a time (32 KiB) for who has room for it.
constexpr size_t kBufferWords = 32768 / sizeof(uint32_t);

struct Link {
  bool loopback = false;
  bool of_software = false;
  rtnl_link_stats64 stats{};
};

bool SaysKind(const rtattr& info) {
  auto left = static_cast<unsigned>(RTA_PAYLOAD(&info));
  const auto* part = static_cast<const rtattr*>(RTA_DATA(&info));
  for (; RTA_OK(part, left); part = RTA_NEXT(part, left)) {
    if (part->rta_type == IFLA_INFO_KIND) return true;
  }
  return false;
}

Link ParseLink(const nlmsghdr& head) {
  Link link;
  const auto* message = static_cast<const ifinfomsg*>(NLMSG_DATA(&head));
  link.loopback = (message->ifi_flags & IFF_LOOPBACK) != 0;
  auto left = static_cast<unsigned>(IFLA_PAYLOAD(&head));
  const rtattr* attribute = IFLA_RTA(message);
  for (; RTA_OK(attribute, left); attribute = RTA_NEXT(attribute, left)) {
    if (attribute->rta_type == IFLA_STATS64) {
      std::memcpy(&link.stats, RTA_DATA(attribute),
                  std::min<size_t>(sizeof link.stats, RTA_PAYLOAD(attribute)));
    }
    if (attribute->rta_type == IFLA_LINKINFO) link.of_software = SaysKind(*attribute);
  }
  return link;
}

void Count(const Link& link, LinkBytes::Totals& totals) {
  totals.sent += link.stats.tx_bytes;
  totals.received += link.stats.rx_bytes;
}

}  // namespace

LinkBytes::LinkBytes(int socket) : socket_(socket), buffer_(kBufferWords) {}

LinkBytes::~LinkBytes() { close(socket_); }

base::Result<std::unique_ptr<LinkBytes>> LinkBytes::Open(const std::string& netns) {
  int made = -1;
  const auto make = [&]() -> base::Status {
    made = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (made < 0) return base::SystemError("cannot ask the kernel for network devices");
    return {};
  };
  RECKON_TRY(netns.empty() ? make() : net::InNamespace(netns, make));
  const timeval limit{2, 0};
  (void)setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  return std::unique_ptr<LinkBytes>(new LinkBytes(made));
}

base::Result<LinkBytes::Totals> LinkBytes::Read() {
  struct {
    nlmsghdr head;
    ifinfomsg request;
  } question{};
  question.head.nlmsg_len = sizeof question;
  question.head.nlmsg_type = RTM_GETLINK;
  question.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
  question.head.nlmsg_seq = ++question_;
  if (send(socket_, &question, sizeof question, 0) < 0) return base::SystemError("rtnetlink");
  Totals hardware;
  Totals software;
  bool any_hardware = false;
  for (;;) {
    const ssize_t count = recv(socket_, buffer_.data(), buffer_.size() * sizeof(uint32_t), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return base::SystemError("rtnetlink");
    auto left = static_cast<unsigned>(count);
    const auto* head = reinterpret_cast<const nlmsghdr*>(buffer_.data());
    for (; NLMSG_OK(head, left); head = NLMSG_NEXT(head, left)) {
      if (head->nlmsg_seq != question_) continue;
      if (head->nlmsg_type == NLMSG_DONE) return any_hardware ? hardware : software;
      if (head->nlmsg_type == NLMSG_ERROR) {
        return base::SystemError("rtnetlink",
                                 -static_cast<const nlmsgerr*>(NLMSG_DATA(head))->error);
      }
      if (head->nlmsg_type != RTM_NEWLINK) continue;
      const Link link = ParseLink(*head);
      if (link.loopback) continue;
      any_hardware = any_hardware || !link.of_software;
      Count(link, link.of_software ? software : hardware);
    }
  }
}

}  // namespace reckon::observe
