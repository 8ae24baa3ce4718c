// An agent's node where that is a host of a lab on this machine: the agent lives on it, so that
// what happens to the host happens to the agent.
#pragma once

#include <string>

#include "act/agents/beat.h"
#include "act/place.h"
#include "base/result.h"

namespace reckon::act {

struct NodeSeat {
  NodeInfo node;  // without price and version
  Place place;    // of its processes
};

// This machine; `address` is where others reach it.
base::Result<NodeSeat> MachineSeat(const std::string& address);

// A host of a lab. Moves this process into its control groups and this thread into its network:
// call it before any other thread is made. kNotFound: no such lab or host; kFailed: it does not
// keep its limits.
base::Result<NodeSeat> JoinLabHost(const std::string& lab, const std::string& host);

}  // namespace reckon::act
