// The network of a lab: a switch (a bridge in a namespace of its own, where no firewall of the
// machine interferes), a namespace for each host, a link from each to the switch that lets through
// what the host's bandwidth allows in each direction, and one link for the machine itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/lab.h"

namespace reckon::act {

// The three numbers of the kernel's token bucket filter.
struct Shaping {
  double rate_bit_s = 0;
  uint64_t burst_bytes = 0;  // may pass at once after a pause
  uint64_t limit_bytes = 0;  // may wait; what is more is dropped
};

// What a host calls its end of the cable.
inline constexpr const char* kHostDevice = "eth0";

// Rate after dilation. Burst and limit are bytes that take a fixed time at the bandwidth *before*
// dilation: bytes are not dilated, so what a burst saves and a full queue costs stays the same part
// of a dilated second.
Shaping ShapingFor(double bandwidth_bit_s, double dilation);

// How much TCP may hand to a device in one piece, everywhere in the lab. A piece that does not fit
// into a burst would be cut up on its way, which limits a link to some 200 Mbit/s whatever its
// rate; half a burst fits and leaves tokens while it is sent.
uint64_t LargestPiece(const core::Lab& lab);

class Network {
 public:
  // `lock` is handed to every program that is run (see act/command.h).
  // `subnet`: see below; not needed to remove a lab.
  Network(std::string lab, std::string subnet, int lock)
      : lab_(std::move(lab)), subnet_(std::move(subnet)), lock_(lock) {}

  // `subnet` is the first three numbers ("10.7.3"); .1 is the machine, .2 the first host.
  static std::string MachineAddress(const std::string& subnet);
  static std::string HostAddress(const std::string& subnet, size_t index);

  base::Status MakeSwitch(const core::Lab& lab) const;
  base::Status MakeHost(const core::Lab& lab, size_t index) const;
  // A host's cable, by the host's number: out of the switch or in again.
  base::Status SetLink(size_t index, bool up) const;
  base::Result<std::vector<bool>> LinksUp(size_t count) const;
  // Ends and removes everything that is there under the lab's names, whoever made it; false when
  // nothing was. Goes on after a failure and returns the first one.
  base::Result<bool> Remove() const;

 private:
  base::Status Ip(const std::string& words) const;
  base::Status IpIn(const std::string& space, const std::string& words) const;
  base::Status Shape(const std::string& space, const std::string& device,
                     const Shaping& shaping) const;

  std::string lab_;
  std::string subnet_;
  int lock_;
};

// Three numbers of a network that neither `routes` (the text of /proc/net/route) nor `taken` know;
// where to start looking follows from the lab's name. kUnavailable when all are in use.
base::Result<std::string> FreeSubnet(const std::string& lab, const std::string& routes,
                                     const std::vector<std::string>& taken);

}  // namespace reckon::act
