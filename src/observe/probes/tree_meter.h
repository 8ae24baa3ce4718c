// Measures what the processes below a process use, from its begin to the end of the last of them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/clock.h"
#include "observe/probes/cgroup_traffic.h"
#include "observe/probes/process_tree.h"
#include "observe/probes/spread_meter.h"
#include "observe/probes/tcp_bytes.h"
#include "observe/probes/tree_usage.h"

namespace reckon::observe {

struct TreeMeterOptions {
  pid_t root = 0;      // the process that measures: a subreaper that waits for its children
  std::string netns;   // path of the network namespace of those below; empty: ours
  std::string cgroup;  // folder of a cgroup of version 2 that is theirs alone; empty: none
};

// CPU time of what was waited for comes from this process's own account, so nothing else may be
// below it; children that a parent never waits for (it ignores SIGCHLD) are counted only with a
// cgroup. Not thread-safe.
class TreeMeter {
 public:
  // What cannot be measured stays 0, and `complete` false. `clock` outlives it.
  TreeMeter(TreeMeterOptions options, const base::Clock& clock);

  // The first process is there; whether it is in the cgroup.
  void Started(bool in_cgroup);
  // Looks at everything; once a second is often enough.
  void Sample();
  // The time that counts is over, though some processes may take longer to go.
  void FirstEnded();
  // After the last process was waited for. Waits, at most for two seconds, until the other sides
  // have acknowledged what was sent last.
  void Finish();

  const TreeUsage& usage() const { return usage_; }

 private:
  void TakeTime();
  void TakeCpu(const std::vector<ProcessEntry>& processes);
  // Whether connections are still open.
  bool TakeTraffic(const std::vector<ProcessEntry>& processes);

  const TreeMeterOptions options_;
  const base::Clock& clock_;
  const base::MonotonicTime begin_;
  bool ended_ = false;
  std::unique_ptr<TcpDiag> diag_;           // for the cgroup's open connections
  std::unique_ptr<CgroupTraffic> traffic_;  // nullptr: none
  std::unique_ptr<TcpBytes> bytes_;         // without traffic_; nullptr: none
  void TakeDisk(const std::vector<ProcessEntry>& processes);
  // What was used since the last look, and the memory of this one.
  void TakeSpreads(uint64_t memory_bytes);

  TreeUsage usage_;
  TreeUsage looked_;  // at the last look
  SpreadMeter cores_;
  SpreadMeter memory_;
  SpreadMeter sent_;
  SpreadMeter received_;
};

}  // namespace reckon::observe
