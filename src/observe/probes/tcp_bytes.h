// Bytes that a tree of processes sends and receives over TCP.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/result.h"
#include "observe/probes/tcp_diag.h"

namespace reckon::observe {

// Looks now and then which sockets the processes have open, and takes what each had carried when it
// ended. A socket that comes and goes between two looks has no known owner: then the count is not
// complete. For a count that misses none see CgroupTraffic. Not thread-safe.
class TcpBytes {
 public:
  explicit TcpBytes(std::unique_ptr<TcpDiag> diag) : diag_(std::move(diag)) {}

  // `processes`: those whose sockets count.
  void Sample(const std::vector<pid_t>& processes);
  // Some of our sockets have not ended: their last bytes are on the way.
  bool Pending() const;

  uint64_t sent() const;
  uint64_t received() const;
  // False once a socket of an unknown owner ended with data, ends were not told, or looking failed.
  bool complete() const { return complete_; }

 private:
  enum class Owner { kUnknown, kOurs, kOther };
  struct Known {
    TcpSocket last;
    Owner owner = Owner::kUnknown;
    int missing = 0;  // how many looks in a row did not find it
  };

  void Retire(const Known& known);

  std::unique_ptr<TcpDiag> diag_;
  std::map<uint64_t, Known> known_;  // by cookie
  uint64_t ended_sent_ = 0;          // of our sockets that ended
  uint64_t ended_received_ = 0;
  bool complete_ = true;
};

// The inodes of the sockets that these processes have open. Those of processes that we may not look
// into are missing.
std::set<uint64_t> SocketInodes(const std::vector<pid_t>& processes);

}  // namespace reckon::observe
