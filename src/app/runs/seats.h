// Which process of a run gets which place.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "act/place.h"
#include "base/result.h"
#include "core/job.h"

namespace reckon::app {

struct PlannedPlace {
  act::Place place;
  double cpus = 0;            // 0: as many as the job wants
  uint64_t memory_bytes = 0;  // of all processes on the host together; 0: no limit
  std::string device = "lo";  // of the network, with its address
};

// They point into the places they were made from.
struct Seats {
  std::vector<const PlannedPlace*> servers;
  std::vector<const PlannedPlace*> workers;
};

// Servers take the first places, workers those that follow. With enough places everybody has one of
// his own. `places` must not be empty.
Seats Seat(const core::Job& job, const std::vector<PlannedPlace>& places);

// The processors that a worker of the job is told to use there: what the job asks for, but no more
// than the host has, its last one counted whole.
double CpusOfWorker(const core::Job& job, const PlannedPlace& place);

// kBadInput about "resources.cpus" when the workers that come together on a host ask for more
// processors than it has.
base::Status CheckCpus(const Seats& seats, const core::Job& job);

// kBadInput, with host, need and limit, when the workers that come together on a host need more
// memory than it has. `worker_bytes`: what each of them needs.
base::Status CheckMemory(const Seats& seats, uint64_t worker_bytes);

}  // namespace reckon::app
