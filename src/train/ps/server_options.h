// From a job and a place in its run to what a parameter server is to do.
#pragma once

#include <string>

#include "base/result.h"
#include "core/job.h"
#include "net/tcp.h"
#include "train/ps/server.h"

namespace reckon::train {

// Which of a run's servers this is.
struct ServerPlace {
  net::Address listen;  // RECKON_LISTEN: "host:port"
  size_t number = 0;    // RECKON_SERVER
  size_t servers = 0;   // as many as RECKON_SERVERS names; 0: unknown
  size_t workers = 1;   // WORLD_SIZE
  std::string token;    // RECKON_TOKEN; empty: none
};

// From the environment; kBadInput names the variable.
base::Result<ServerPlace> ReadServerPlace();

base::Result<ServerOptions> MakeServerOptions(const core::TrainerJob& job,
                                              const ServerPlace& place);

}  // namespace reckon::train
