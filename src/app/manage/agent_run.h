// reckon agent: a node at the service of a manager.
#pragma once

#include <string>

#include "app/context.h"
#include "base/result.h"

namespace reckon::app {

struct AgentRequest {
  std::string manager;  // "host:port"
  std::string name;     // of the node; empty: the machine's or the lab host's
  std::string type;     // empty: the name without its number
  std::string lab;      // "LAB/HOST": speak for a host of a lab on this machine; empty: the machine
  std::string address;  // at which other nodes reach this one; empty: as it reaches the manager
  std::string folder;   // for parts of runs; empty: reckon-agent.NAME in the current folder
  std::string token_file;
  double price_per_hour = 0;
};

// Until `context.stop`. Errors of act::RunAgent, and kBadInput for what is wrong with the request.
base::Status RunAgentOf(const AgentRequest& request, const Context& context);

// The first line of the file; "" without a file. kBadInput: the line is empty; kNotFound.
base::Result<std::string> ReadTokenFile(const std::string& path);

}  // namespace reckon::app
