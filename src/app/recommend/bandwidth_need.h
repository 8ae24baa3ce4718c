// What one worker sends and receives: from the user, from what was measured, or by a short run.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "app/context.h"
#include "base/result.h"
#include "core/catalogue.h"

namespace reckon::app {

struct BandwidthNeed {
  std::map<std::string, double> bit_s;  // by machine type, each direction
  std::vector<std::string> notes;       // where it comes from
};

struct BandwidthRequest {
  std::string job;                 // file; measured where nothing else tells
  std::string campaign;            // whose runs of one worker and one server tell; empty: none
  std::vector<std::string> given;  // "p2.xlarge=300Mbit", or "300Mbit" for all types
};

// For each type of `workers`. What a campaign does not tell is measured by a run of the job with
// one worker and one server on this machine, once: its samples are found the next time. kBadInput:
// a value that is no bandwidth, a job without servers.
base::Result<BandwidthNeed> FindBandwidthNeed(const BandwidthRequest& request,
                                              const std::vector<core::MachineType>& workers,
                                              const Context& context);

}  // namespace reckon::app
