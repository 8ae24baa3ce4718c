// The agent of a node: tells its manager how the node is, every second, and makes true what the
// manager wants of it.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "act/agents/beat.h"
#include "act/agents/lab_seat.h"
#include "act/sandbox.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/result.h"
#include "net/tcp.h"
#include "net/tls.h"

namespace reckon::act {

struct AgentOptions {
  net::Address manager;
  // With TLS, believing these; nullptr: without. Shared by all clients that do.
  std::shared_ptr<const net::TlsTrust> tls;
  // With it a node joins that has no secret yet; empty: there is none, for managers that ask nobody
  // or nodes that have joined.
  std::string token;
  NodeSeat seat;
  std::filesystem::path folder;    // for parts of runs
  std::filesystem::path programs;  // of ours
  SandboxUse sandbox = SandboxUse::kSent;
  std::vector<std::string> shared;  // folders that what runs in a sandbox may read
  // What runs here is stopped when its manager was silent for so long: by then it has given the
  // work to others.
  std::chrono::seconds lonely_limit{600};
};

// Until `stop`, which leaves what runs here at work: the next agent on this folder goes on with it.
// kBadInput: the manager does not want this node (a wrong token, a name that another node has)
// or is not who it should be (its certificate);
// kUnavailable: another agent has the folder. A manager that cannot be reached is waited for.
base::Status RunAgent(const AgentOptions& options, const base::Clock& clock, base::Logger& log,
                      const std::stop_token& stop);

}  // namespace reckon::act
