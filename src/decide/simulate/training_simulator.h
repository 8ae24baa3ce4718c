// A discrete-event simulation of distributed training: workers compute steps, servers' links and
// processors are queues, workers differ, stumble and die. For clusters that nobody can try: ten
// thousand workers take seconds.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "base/result.h"
#include "core/job.h"

namespace reckon::decide {

struct SimulatedWorker {
  double compute_s = 0;        // of a step, on average
  int64_t steps = 1;           // of an epoch: its shard by its batch
  double bandwidth_bit_s = 0;  // of its link, each direction; 0: no limit
  double begin_s = 0;          // when it has its data
  // Of its draws: the same for the same node, whoever else takes part; not said: its place here.
  std::optional<uint64_t> stream = {};
};

struct SimulatedServer {
  double bandwidth_bit_s = 0;  // of its link, each direction; 0: no limit
  double update_s = 0;         // to work a gradient in
};

struct Simulation {
  core::Strategy strategy = core::Strategy::kAsyncParameterServer;
  std::vector<SimulatedWorker> workers;
  std::vector<SimulatedServer> servers;  // none: all-reduce; parameters are dealt out evenly
  double bytes = 0;                      // of all parameters: what a push and a pull move
  double latency_s = 0;                  // one way
  int64_t epochs = 1;
  double jitter = 0;             // relative standard deviation of compute times (log-normal)
  double failures_per_hour = 0;  // of a worker; what it was computing is lost
  double restart_s = 0;          // until it is back
  uint64_t seed = 1;
};

struct SimulationReport {
  double seconds = 0;            // until the last worker is done
  std::vector<double> epoch_s;   // until the last worker is done with each, from the one before
  double training_s = 0;         // of the worker that trains longest, from when it has its data
  std::vector<double> worker_s;  // until each worker is done
  int64_t steps = 0;             // of all workers
  int64_t failures = 0;
  double busiest_link = 0;  // share of the time that the busiest server's link brings gradients in
  uint64_t events = 0;
};

// Servers' links and processors serve one after the other in the order of arrival. In step (sync
// servers, all-reduce) a step ends for all when the last gradient is worked in; workers must have
// the same number of steps. An all-reduce is a ring: 2 (n - 1) / n of the bytes over the slowest
// link, and 2 (n - 1) latencies. kBadInput: no workers, negative times, servers without a strategy
// for them. kInterrupted: `stop` was requested.
base::Result<SimulationReport> Simulate(const Simulation& simulation, std::stop_token stop = {});

}  // namespace reckon::decide
