#include "app/runs/seats.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include <fmt/format.h>

#include "app/runs/machine.h"
#include "base/units.h"

namespace reckon::app {

Seats Seat(const core::Job& job, const std::vector<PlannedPlace>& places) {
  Seats seats;
  const auto servers = static_cast<size_t>(job.servers);
  const auto workers = static_cast<size_t>(job.workers);
  const size_t first_worker = servers + workers <= places.size() ? servers : 0;
  for (size_t i = 0; i < servers; ++i) seats.servers.push_back(&places[i % places.size()]);
  for (size_t i = 0; i < workers; ++i) {
    seats.workers.push_back(&places[(first_worker + i) % places.size()]);
  }
  return seats;
}

double CpusOfWorker(const core::Job& job, const PlannedPlace& place) {
  if (place.cpus <= 0) return job.cpus_per_worker.value_or(1);
  const double whole = std::ceil(place.cpus);
  return std::min(job.cpus_per_worker.value_or(whole), whole);
}

base::Status CheckCpus(const Seats& seats, const core::Job& job) {
  const double each = job.cpus_per_worker.value_or(1);
  std::map<std::string, double> asked;
  for (const PlannedPlace* seat : seats.workers) asked[seat->place.host] += each;
  for (const PlannedPlace* seat : seats.workers) {
    const double has = seat->cpus > 0 ? seat->cpus : MachineCpus();
    const double wanted = asked[seat->place.host];
    // A worker that says nothing takes what the host has.
    if (wanted <= has || (wanted == each && !job.cpus_per_worker)) continue;
    return base::BadInput(fmt::format("no host fits: '{}' has {} processors, and the job's {} "
                                      "workers on {} hosts ask for {} there",
                                      seat->place.host, base::FormatNumber(has), job.workers,
                                      asked.size(), base::FormatNumber(wanted)))
        .About("resources.cpus");
  }
  return {};
}

base::Status CheckMemory(const Seats& seats, uint64_t worker_bytes) {
  std::map<std::string, uint64_t> workers;  // of each host: it may be named for several places
  for (const PlannedPlace* seat : seats.workers) ++workers[seat->place.host];
  for (const PlannedPlace* seat : seats.workers) {
    const uint64_t count = workers[seat->place.host];
    if (seat->memory_bytes == 0 || count * worker_bytes <= seat->memory_bytes) continue;
    return base::BadInput(
        fmt::format("host '{}' has a memory limit of {}; its {} {} with this batch and data need "
                    "about {}",
                    seat->place.host, base::FormatBytes(seat->memory_bytes), count,
                    count == 1 ? "worker" : "workers", base::FormatBytes(count * worker_bytes)));
  }
  return {};
}

}  // namespace reckon::app
