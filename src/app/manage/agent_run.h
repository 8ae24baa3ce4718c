// reckon agent: a node at the service of a manager.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/context.h"
#include "base/result.h"
#include "net/tcp.h"
#include "net/tls.h"

namespace reckon::app {

struct AgentRequest {
  std::string manager;  // "host:port", "https://host:port"
  std::string name;     // of the node; empty: the machine's or the lab host's
  std::string type;     // empty: the name without its number
  std::string lab;      // "LAB/HOST": speak for a host of a lab on this machine; empty: the machine
  std::string address;  // at which other nodes reach this one; empty: as it reaches the manager
  std::string folder;   // for parts of runs; empty: reckon-agent.NAME in the current folder
  std::string token_file;  // with what a new node joins; empty: nothing is shown, or it has joined
  std::string tls_ca;      // whom to believe with https; empty: the system's roots
  double price_per_hour = 0;
  std::string sandbox = "sent";          // which commands run in one: "sent", "all", "none"
  std::vector<std::string> shared = {};  // folders that what runs in a sandbox may read
  std::vector<std::string> apps = {};  // "NAME=200ms": that keep deadlines beside what trains here
};

// Until `context.stop`. Errors of act::RunAgent, and kBadInput for what is wrong with the request.
base::Status RunAgentOf(const AgentRequest& request, const Context& context);

// Where a manager is: "host:port", or a URL, with TLS for https.
struct ManagerPlace {
  net::Address address;
  std::shared_ptr<const net::TlsTrust> tls;  // nullptr: plain HTTP. Shared by all clients
};
// kBadInput: it is no such thing, or `tls_ca` is given without https.
base::Result<ManagerPlace> ParseManager(const std::string& text, const std::string& tls_ca);

// The first line of the file; "" without a file. kBadInput: the line is empty; kNotFound.
base::Result<std::string> ReadTokenFile(const std::string& path);

}  // namespace reckon::app
