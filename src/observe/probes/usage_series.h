// Readings of one node one after the other, and what they say about a stretch of time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "observe/probes/node_probe.h"

namespace reckon::observe {

// Weighted by time. `p95`: for 95 % of the time it was not more.
struct Spread {
  double mean = 0;
  double p95 = 0;
};

// What was not measured is missing.
struct UsageSummary {
  double covered_s = 0;  // how much of the stretch lies between readings
  double cpu_s = 0;      // CPU time used in that
  Spread cpu;            // share of the node's cores, 0..1
  Spread memory;         // share of the node's memory, 0..1
  Spread memory_bytes;
  std::optional<Spread> steal_cores;
  std::optional<Spread> interrupt_cores;
  std::optional<Spread> disk_read_bytes_s;
  std::optional<Spread> disk_written_bytes_s;
  std::optional<Spread> net_sent_bytes_s;
  std::optional<Spread> net_received_bytes_s;
  std::optional<Spread> gpu;  // share, 0..1
  std::optional<Spread> gpu_memory_bytes;
};

// Keeps so many readings at most: then every other one of the older half goes, so that what is long
// ago is known in less detail. Counters lose nothing by that. Not thread-safe.
class UsageSeries {
 public:
  static constexpr size_t kMostReadings = 36'000;  // an hour at 10 Hz, 6 MB

  // `cpus` and `memory_bytes`: of the node, > 0. `most` >= 4.
  UsageSeries(double cpus, uint64_t memory_bytes, size_t most = kMostReadings);

  // One that is not later than the last is passed over.
  void Add(const NodeCounters& reading);
  size_t size() const { return readings_.size(); }

  // Rates are those between readings; memory and GPU are what the later one of two says. Readings
  // between which a counter went back (a device was removed) say nothing about it. nullopt when no
  // two readings have a part of the stretch between them.
  std::optional<UsageSummary> Summary(double from_s, double to_s) const;
  // Only what Summary of this stretch needs.
  UsageSeries Part(double from_s, double to_s) const;

 private:
  std::span<const NodeCounters> Around(double from_s, double to_s) const;

  double cpus_;
  uint64_t memory_bytes_;
  size_t most_;
  std::vector<NodeCounters> readings_;
};

// Cores that others used in `seconds` > 0: growth of the machine's cpu_s, which has no interrupts
// in it, less that of each of ours. At least 0, since the machine counts in ticks and we do not.
double ForeignCores(double machine_cpu_s, std::span<const double> ours_cpu_s, double seconds);
// The same between two readings of the machine, the second one later.
double ForeignCores(const NodeCounters& first, const NodeCounters& last,
                    std::span<const double> ours_cpu_s);

}  // namespace reckon::observe
