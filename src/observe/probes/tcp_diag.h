// The kernel's own account of TCP sockets, over netlink (sock_diag): what `ss -ti` shows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"

namespace reckon::observe {

struct TcpSocket {
  uint64_t cookie = 0;     // unique among all sockets since the machine started
  uint64_t inode = 0;      // as in /proc/PID/fd; 0 before accept and after close
  uint64_t cgroup_id = 0;  // of the process that made it, in cgroup v2; 0: the kernel does not say
  uint64_t sent = 0;       // bytes of data, without repetitions
  uint64_t received = 0;
};

// The sockets of one network namespace. Not thread-safe.
class TcpDiag {
 public:
  // `netns`: path of the namespace; empty: ours. kIo when the kernel refuses.
  static base::Result<std::unique_ptr<TcpDiag>> Open(const std::string& netns);
  ~TcpDiag();
  TcpDiag(const TcpDiag&) = delete;
  TcpDiag& operator=(const TcpDiag&) = delete;

  // IPv4 and IPv6, those that carry or have carried data. Those that only wait for late packets
  // (TIME_WAIT) are not there: what they carried was told when they ended.
  base::Result<std::vector<TcpSocket>> List();

  // Whether Ended tells of every end; some kernels want CAP_NET_ADMIN for that.
  bool hears_ends() const { return ends_ >= 0; }
  // The sockets that ended since the last call: cookie, sent and received. `lost` becomes true when
  // there were too many to keep. Ask at least once a second.
  std::vector<TcpSocket> Ended(bool& lost);

 private:
  TcpDiag(int questions, int ends) : questions_(questions), ends_(ends) {}
  base::Status ListFamily(uint8_t family, std::vector<TcpSocket>& sockets);

  int questions_;
  int ends_;  // -1: not allowed
};

}  // namespace reckon::observe
