// Bytes that went through the network devices of a namespace, over netlink (rtnetlink).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace reckon::observe {

// Headers and repetitions count, loopback does not. Devices that software makes (bridges, tunnels,
// ends of containers' cables) count only where there is no other: what goes through them to other
// machines goes through hardware too. Not thread-safe.
class LinkBytes {
 public:
  // `netns`: path of the namespace; empty: ours. kIo when the kernel refuses.
  static base::Result<std::unique_ptr<LinkBytes>> Open(const std::string& netns);
  ~LinkBytes();
  LinkBytes(const LinkBytes&) = delete;
  LinkBytes& operator=(const LinkBytes&) = delete;

  struct Totals {
    uint64_t sent = 0;
    uint64_t received = 0;
  };
  base::Result<Totals> Read();

 private:
  explicit LinkBytes(int socket);

  int socket_;
  uint32_t question_ = 0;         // number of the last one; late answers to others are passed over
  std::vector<uint32_t> buffer_;  // of words, since messages are aligned so
};

}  // namespace reckon::observe
