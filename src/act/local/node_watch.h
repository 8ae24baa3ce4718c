// What the hosts of a run use while it runs, and how much of the machine others use meanwhile.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "act/launch.h"
#include "base/json.h"
#include "base/log.h"
#include "observe/probes/core_pace.h"
#include "observe/probes/node_probe.h"
#include "observe/probes/usage_meter.h"

namespace reckon::act {

// A stretch of time, seconds since 1970.
struct Stretch {
  double from = 0;
  double to = 0;
};

// Reads each host ten times a second on a thread of its own, from its making on. What cannot be
// measured is said in the log and is missing.
class NodeWatch {
 public:
  NodeWatch(const LaunchSpec& spec, base::Logger& log);

  // An event "node.usage" for each host that could be measured then: {"host", "phase", "seconds",
  // "cpu_mean", "cpu_p95", "memory_mean", "memory_p95", ...}; shares are of what the host has.
  std::vector<base::Json> Usage(const std::string& phase, const Stretch& stretch) const;

  // Since its making: shares of the machine's processors that were used by others than this process
  // and its children, all of which have been waited for; and that were given to other machines.
  struct Disturbance {
    double foreign = 0;
    std::optional<double> steal;
    double seconds = 0;
    // Of processors (observe/probes/core_pace.h): what other machines on the same cores do shows in
    // nothing else.
    std::optional<double> pace_us = {};
  };
  // `training`: that the pace is the mean of; nullopt: since its making.
  std::optional<Disturbance> Disturbed(const std::optional<Stretch>& training);

 private:
  std::vector<std::string> hosts_;
  observe::CorePace pace_;
  std::unique_ptr<observe::NodeProbe> machine_;  // nullptr: cannot be measured
  observe::NodeCounters at_begin_;
  double own_at_begin_ = 0;  // CPU seconds
  std::unique_ptr<observe::UsageMeter> meter_;
};

}  // namespace reckon::act
