// What a rank is told through its environment: who it is, and where the others are.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "net/tcp.h"

namespace reckon::worker {

struct RankEnvironment {
  size_t rank = 0;                    // RANK
  size_t workers = 1;                 // WORLD_SIZE
  net::Address meeting;               // MASTER_ADDR, MASTER_PORT; port 0: none
  std::vector<net::Address> servers;  // RECKON_SERVERS: "host:port,host:port"
  std::string address;                // RECKON_ADDRESS: of this machine, as others reach it
  std::string token;                  // RECKON_TOKEN
  int threads = 1;                    // OMP_NUM_THREADS
};

// kBadInput names the variable. What is not set keeps the value above.
base::Result<RankEnvironment> ReadRankEnvironment();

}  // namespace reckon::worker
