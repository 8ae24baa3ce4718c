// Who of those that wait for nodes goes first, and who may not begin yet.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace reckon::watch {

struct QueueLimits {
  size_t most_runs = 0;           // at work at the same time; 0: any number
  size_t most_runs_per_user = 0;  // likewise
};

// A run that has not ended.
struct QueuedRun {
  int64_t run = 0;
  int64_t priority = 0;
  std::string user;
  bool waits = true;  // for its first nodes; otherwise it is at work, and counts for the limits
};

struct QueuePlace {
  int64_t run = 0;
  std::string why;  // it may not begin now, in words; empty: it may, when there are nodes
};

// Those that wait, in the order in which they get nodes: by priority, then the older one. Whoever
// finds too few nodes keeps those behind it from taking them: that is the caller's to see to.
std::vector<QueuePlace> QueueOf(const std::vector<QueuedRun>& runs, const QueueLimits& limits);

}  // namespace reckon::watch
