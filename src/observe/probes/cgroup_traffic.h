// TCP bytes of all processes of one cgroup, counted by the kernel as connections end: none is
// missed, however short it was.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"

namespace reckon::observe {

// A BPF program of type SOCK_OPS at a cgroup of version 2. The kernel calls it for every connection
// of sockets that were made in the cgroup, whatever their network namespace, and takes it away with
// the cgroup. Not thread-safe.
class CgroupTraffic {
 public:
  // kIo without the permission (CAP_BPF and CAP_NET_ADMIN), or on kernels that cannot.
  static base::Result<std::unique_ptr<CgroupTraffic>> Attach(const std::string& folder);
  ~CgroupTraffic();
  CgroupTraffic(const CgroupTraffic&) = delete;
  CgroupTraffic& operator=(const CgroupTraffic&) = delete;

  // As in TcpSocket::cgroup_id: for the connections that have not ended.
  uint64_t cgroup_id() const { return cgroup_id_; }

  struct Totals {
    uint64_t sent = 0;  // data that the other side has acknowledged
    uint64_t received = 0;
    uint64_t connections = 0;
  };
  // Of the connections that have ended.
  Totals Ended() const;

 private:
  CgroupTraffic(int map, int program, uint64_t cgroup_id)
      : map_(map), program_(program), cgroup_id_(cgroup_id) {}

  int map_;
  int program_;
  uint64_t cgroup_id_;
};

}  // namespace reckon::observe
