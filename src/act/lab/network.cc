#include "act/lab/network.h"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "act/command.h"
#include "act/lab/names.h"
#include "act/lab/netns.h"
#include "base/json.h"
#include "base/text.h"

namespace reckon::act {
namespace {

using base::Result;
using base::Status;

constexpr const char* kBridge = "switch";
constexpr double kFrameBytes = 1514;

// The delay of a retransmission that no other sign triggers, in the kernel: 200 ms. It runs on real
// time, so it is dilated by hand.
constexpr double kRetransmitMs = 200;

std::vector<std::string> Words(const std::string& text) {
  std::vector<std::string> words;
  for (const std::string_view word : base::Split(text, ' ')) {
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

// At the switch; by number, since names of hosts may be as long as a device's may be.
std::string PortName(size_t index) { return fmt::format("port{}", index); }

bool DeviceExists(const std::string& name) {
  std::error_code ignored;
  return std::filesystem::exists("/sys/class/net/" + name, ignored);
}

// TCP as on an ordinary machine, and the same in every run: no memory of earlier connections.
Status SetUpTcp(const std::string& space) {
  const Status cubic = SetInNamespace(space, "ipv4/tcp_congestion_control", "cubic");
  if (!cubic.ok()) RECKON_TRY(SetInNamespace(space, "ipv4/tcp_congestion_control", "reno"));
  return SetInNamespace(space, "ipv4/tcp_no_metrics_save", "1");
}

// No chatter of its own on the network; a kernel without IPv6 has nothing to switch off.
void SilenceIpv6(const std::string& space) {
  for (const char* setting : {"ipv6/conf/all/disable_ipv6", "ipv6/conf/default/disable_ipv6"}) {
    const Status ignored = SetInNamespace(space, setting, "1");
    if (!ignored.ok()) return;
  }
}

}  // namespace

Shaping ShapingFor(double bandwidth_bit_s, double dilation) {
  // Little enough to save nothing that matters (31 KB at 1 Gbit/s), enough for late timers.
  constexpr double kBurstS = 250e-6;
  constexpr double kQueueS = 10e-3;  // as deep as the buffer of a switch's port
  const double bytes_s = bandwidth_bit_s / 8;
  Shaping shaping;
  shaping.rate_bit_s = bandwidth_bit_s / dilation;
  shaping.burst_bytes = static_cast<uint64_t>(std::max(bytes_s * kBurstS, 4 * kFrameBytes));
  shaping.limit_bytes = static_cast<uint64_t>(std::max(bytes_s * kQueueS, 64 * kFrameBytes));
  return shaping;
}

uint64_t LargestPiece(const core::Lab& lab) {
  uint64_t bytes = 65'536;  // the kernel's own limit
  for (const core::LabHost& host : lab.hosts) {
    if (host.bandwidth_bit_s == 0) continue;
    bytes = std::min(bytes, ShapingFor(host.bandwidth_bit_s, lab.dilation).burst_bytes / 2);
  }
  return bytes;
}

std::string Network::MachineAddress(const std::string& subnet) { return subnet + ".1"; }

std::string Network::HostAddress(const std::string& subnet, size_t index) {
  return fmt::format("{}.{}", subnet, index + 2);
}

Status Network::Ip(const std::string& words) const {
  const auto said = RunChecked(Words("ip " + words), {.inherit = lock_});
  return said.ok() ? Status() : said.error();
}

Status Network::IpIn(const std::string& space, const std::string& words) const {
  return InNamespace(space, [&] { return Ip(words); });
}

Status Network::Shape(const std::string& space, const std::string& device,
                      const Shaping& shaping) const {
  const std::string words =
      fmt::format("tc qdisc add dev {} root tbf rate {:.0f}bit burst {}b limit {}b", device,
                  shaping.rate_bit_s, shaping.burst_bytes, shaping.limit_bytes);
  return InNamespace(space, [&] {
    const auto said = RunChecked(Words(words), {.inherit = lock_});
    return said.ok() ? Status() : said.error();
  });
}

Status Network::MakeSwitch(const core::Lab& lab) const {
  const std::string space = SwitchName(lab_);
  RECKON_TRY(Ip("netns add " + space));
  SilenceIpv6(space);
  RECKON_TRY(
      IpIn(space, fmt::format("link add {} type bridge stp_state 0 mcast_snooping 0", kBridge)));
  RECKON_TRY(IpIn(space, fmt::format("link set {} up", kBridge)));
  RECKON_TRY(Ip(fmt::format("link add {0} type veth peer name machine netns {0}", space)));
  RECKON_TRY(IpIn(space, fmt::format("link set machine master {} up", kBridge)));
  RECKON_TRY(Ip(fmt::format("addr add {}/24 dev {}", MachineAddress(subnet_), space)));
  return Ip(fmt::format("link set {} gso_max_size {} up", space, LargestPiece(lab)));
}

Status Network::MakeHost(const core::Lab& lab, size_t index) const {
  const core::LabHost& host = lab.hosts[index];
  const std::string space = NamespaceName(lab_, host.name);
  const std::string hub = SwitchName(lab_);
  const std::string address = HostAddress(subnet_, index);
  RECKON_TRY(Ip("netns add " + space));
  SilenceIpv6(space);
  RECKON_TRY(SetUpTcp(space));
  RECKON_TRY(IpIn(space, "link set lo up"));
  RECKON_TRY(IpIn(space, fmt::format("link add {} type veth peer name {} netns {}", kHostDevice,
                                     PortName(index), hub)));
  if (host.bandwidth_bit_s > 0) {
    const Shaping shaping = ShapingFor(host.bandwidth_bit_s, lab.dilation);
    RECKON_TRY(Shape(space, kHostDevice, shaping));
    RECKON_TRY(Shape(hub, PortName(index), shaping));
  }
  RECKON_TRY(IpIn(space, fmt::format("addr add {}/24 dev {}", address, kHostDevice)));
  RECKON_TRY(
      IpIn(space, fmt::format("link set {} gso_max_size {} up", kHostDevice, LargestPiece(lab))));
  RECKON_TRY(IpIn(space, fmt::format("route replace {}.0/24 dev {} src {} rto_min {:.0f}ms",
                                     subnet_, kHostDevice, address, kRetransmitMs * lab.dilation)));
  return IpIn(hub, fmt::format("link set {} master {} up", PortName(index), kBridge));
}

Status Network::SetLink(size_t index, bool up) const {
  return IpIn(SwitchName(lab_), fmt::format("link set {} {}", PortName(index), up ? "up" : "down"));
}

Result<std::vector<bool>> Network::LinksUp(size_t count) const {
  std::string text;
  RECKON_TRY(InNamespace(SwitchName(lab_), [&]() -> Status {
    RECKON_ASSIGN(text, RunChecked({"ip", "-json", "link", "show"}, {.inherit = lock_}));
    return {};
  }));
  RECKON_ASSIGN(const base::Json links, base::ParseJson(text, "what 'ip -json link' printed"));
  std::vector<bool> up(count, false);
  for (size_t i = 0; i < count; ++i) {
    for (const base::Json& link : links) {
      if (!link.is_object() || link.value("ifname", "") != PortName(i)) continue;
      const base::Json flags = link.value("flags", base::Json::array());
      up[i] = std::find(flags.begin(), flags.end(), "UP") != flags.end();
    }
  }
  return up;
}

Result<bool> Network::Remove() const {
  const std::string hub = SwitchName(lab_);
  std::vector<std::string> spaces = NamespacesWithPrefix(NamespacePrefix(lab_));
  if (NamespaceExists(hub)) spaces.push_back(hub);
  bool found = !spaces.empty();
  Status failed;
  const auto keep = [&](Status status) {
    if (failed.ok()) failed = std::move(status);
  };
  // Its own device first: with the namespace it would go too, but only some time later.
  if (DeviceExists(hub)) {
    found = true;
    Status removed = Ip("link del " + hub);
    if (!removed.ok() && DeviceExists(hub)) keep(std::move(removed));
  }
  for (const std::string& space : spaces) {
    keep(KillInNamespace(space));
    keep(RemoveNamespace(space));
  }
  if (!failed.ok()) return std::move(failed).error();
  return found;
}

}  // namespace reckon::act
