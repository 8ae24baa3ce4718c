#include "decide/simulate/training_simulator.h"

#include <algorithm>
#include <cmath>
#include <queue>

#include <fmt/format.h>

#include "base/rng.h"

namespace reckon::decide {
namespace {

using base::Result;
using core::Strategy;

base::Status Check(const Simulation& simulation) {
  if (simulation.workers.empty()) return base::BadInput("a simulation without workers");
  const bool needs_servers = simulation.strategy != Strategy::kAllReduce;
  if (needs_servers == simulation.servers.empty()) {
    return base::BadInput(needs_servers ? "this strategy needs servers"
                                        : "all-reduce has no servers");
  }
  for (const double value : {simulation.bytes, simulation.latency_s, simulation.jitter,
                             simulation.failures_per_hour, simulation.restart_s}) {
    if (!(value >= 0)) return base::BadInput("a simulation with a negative quantity");
  }
  if (simulation.epochs < 1) return base::BadInput("a simulation without epochs");
  const bool in_step = simulation.strategy != Strategy::kAsyncParameterServer;
  for (const SimulatedWorker& worker : simulation.workers) {
    if (!(worker.compute_s >= 0) || worker.steps < 0 || !(worker.bandwidth_bit_s >= 0) ||
        !(worker.begin_s >= 0)) {
      return base::BadInput("a simulated worker with a negative quantity");
    }
    // A step is begun again e^x times on average.
    constexpr double kMostFailuresAStep = 7;
    const double failures = simulation.failures_per_hour * worker.compute_s / 3600;
    if (failures > kMostFailuresAStep) {
      return base::BadInput(
          fmt::format("a worker that fails {:.4g} times during a step of {:.4g} s hardly ever ends "
                      "one; expected at most {:.0f} times",
                      failures, worker.compute_s, kMostFailuresAStep));
    }
    if (in_step && worker.steps != simulation.workers.front().steps) {
      return base::BadInput(
          fmt::format("workers in step have the same number of steps; found {} and {}",
                      simulation.workers.front().steps, worker.steps));
    }
  }
  return {};
}

// Seconds of so many bytes over a link; 0 of one without limit.
double TransferTime(double bytes, double bandwidth_bit_s) {
  return bandwidth_bit_s > 0 ? 8 * bytes / bandwidth_bit_s : 0;
}

// How long computing takes each worker: varied, and prolonged by failures.
class Computing {
 public:
  explicit Computing(const Simulation& simulation)
      : simulation_(simulation),
        spread_(std::sqrt(std::log1p(simulation.jitter * simulation.jitter))) {
    const base::Rng all(simulation.seed);
    for (size_t i = 0; i < simulation.workers.size(); ++i) {
      rngs_.push_back(all.Fork(simulation.workers[i].stream.value_or(i)));
    }
    next_failure_.resize(simulation.workers.size(), INFINITY);
    if (simulation.failures_per_hour <= 0) return;
    for (size_t i = 0; i < next_failure_.size(); ++i) next_failure_[i] = Gap(i);
  }

  // When a step that begins at `now` is computed.
  double Done(size_t worker, double now) {
    double time = simulation_.workers[worker].compute_s;
    if (spread_ > 0) time *= std::exp(spread_ * rngs_[worker].Normal() - spread_ * spread_ / 2);
    while (next_failure_[worker] < now + time) {
      ++failures_;
      now = std::max(now, next_failure_[worker]) + simulation_.restart_s;
      next_failure_[worker] = now + Gap(worker);
    }
    return now + time;
  }

  int64_t failures() const { return failures_; }

 private:
  double Gap(size_t worker) {
    return -std::log1p(-rngs_[worker].Uniform()) * 3600 / simulation_.failures_per_hour;
  }

  const Simulation& simulation_;
  std::vector<base::Rng> rngs_;
  const double spread_;
  std::vector<double> next_failure_;
  int64_t failures_ = 0;
};

struct Event {
  double time;
  uint32_t worker;
  uint32_t server;  // kComputed: the worker has a gradient; else: it has arrived at this server

  bool operator>(const Event& other) const {
    if (time != other.time) return time > other.time;
    if (worker != other.worker) return worker > other.worker;
    return server > other.server;
  }
};
constexpr uint32_t kComputed = UINT32_MAX;
constexpr uint64_t kEventsBetweenLooks = 1 << 16;  // whether to stop

class Progress {
 public:
  Progress(const Simulation& simulation, SimulationReport& report)
      : simulation_(simulation), report_(report), steps_(simulation.workers.size(), 0) {
    report_.worker_s.assign(simulation.workers.size(), 0);
    epoch_end_.assign(static_cast<size_t>(simulation.epochs), 0);
  }

  bool HasMore(size_t worker) const {
    return steps_[worker] < simulation_.workers[worker].steps * simulation_.epochs;
  }

  // The worker has the parameters of another step.
  void Step(size_t worker, double now) {
    ++steps_[worker];
    ++report_.steps;
    report_.worker_s[worker] = now;
    report_.seconds = std::max(report_.seconds, now);
    const int64_t of_epoch = simulation_.workers[worker].steps;
    if (steps_[worker] % of_epoch != 0) return;
    double& end = epoch_end_[static_cast<size_t>(steps_[worker] / of_epoch - 1)];
    end = std::max(end, now);
  }

  void Finish() {
    for (size_t i = 0; i < report_.worker_s.size(); ++i) {
      if (steps_[i] == 0) continue;
      report_.training_s =
          std::max(report_.training_s, report_.worker_s[i] - simulation_.workers[i].begin_s);
    }
    double before = 0;
    for (const double end : epoch_end_) {
      report_.epoch_s.push_back(std::max(0.0, end - before));
      before = std::max(before, end);
    }
  }

 private:
  const Simulation& simulation_;
  SimulationReport& report_;
  std::vector<int64_t> steps_;
  std::vector<double> epoch_end_;
};

// Gradients to servers and parameters back, asynchronously or in step.
class WithServers {
 public:
  WithServers(const Simulation& simulation, SimulationReport& report)
      : simulation_(simulation),
        report_(report),
        computing_(simulation),
        progress_(simulation, report),
        share_(simulation.bytes / static_cast<double>(simulation.servers.size())),
        servers_(simulation.servers.size()),
        waiting_(simulation.workers.size()) {
    for (const SimulatedWorker& worker : simulation.workers) {
      in_step_ += worker.steps > 0 ? 1 : 0;
    }
  }

  // False: `stop` was requested.
  bool Run(const std::stop_token& stop) {
    for (size_t i = 0; i < simulation_.workers.size(); ++i) {
      Compute(i, simulation_.workers[i].begin_s);
    }
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      if (++report_.events % kEventsBetweenLooks == 0 && stop.stop_requested()) return false;
      if (event.server == kComputed) {
        Push(event.worker, event.time);
      } else if (simulation_.strategy == Strategy::kAsyncParameterServer) {
        Answer(event.worker, event.server, Update(event.server, event.time));
      } else {
        Gather(event.worker, event.server, event.time);
      }
    }
    progress_.Finish();
    report_.failures = computing_.failures();
    for (const Queue& server : servers_) {
      if (report_.seconds > 0) {
        report_.busiest_link = std::max(report_.busiest_link, server.in_use_s / report_.seconds);
      }
    }
    return true;
  }

 private:
  struct Queue {
    double in_free = 0;  // when the link has room for the next gradient
    double out_free = 0;
    double cpu_free = 0;
    double in_use_s = 0;
    std::vector<uint32_t> gathered;  // whose gradients of this step are in
  };
  struct Waiting {
    uint32_t answers = 0;
    double last = 0;
  };

  void Compute(size_t worker, double now) {
    if (!progress_.HasMore(worker)) return;
    events_.push({computing_.Done(worker, now), static_cast<uint32_t>(worker), kComputed});
  }

  void Push(uint32_t worker, double now) {
    // The worker's link carries its parts one after the other.
    const double own = TransferTime(share_, simulation_.workers[worker].bandwidth_bit_s);
    double sent = now;
    for (uint32_t server = 0; server < servers_.size(); ++server) {
      sent += own;
      Queue& queue = servers_[server];
      const double takes = TransferTime(share_, simulation_.servers[server].bandwidth_bit_s);
      queue.in_free = std::max(queue.in_free, now) + takes;
      queue.in_use_s += takes;
      events_.push({std::max(queue.in_free, sent) + simulation_.latency_s, worker, server});
    }
  }

  double Update(uint32_t server, double now) {
    Queue& queue = servers_[server];
    queue.cpu_free = std::max(queue.cpu_free, now) + simulation_.servers[server].update_s;
    return queue.cpu_free;
  }

  // Parameters on their way back; the step is over when every server's are there.
  void Answer(uint32_t worker, uint32_t server, double now) {
    Queue& queue = servers_[server];
    queue.out_free = std::max(queue.out_free, now) +
                     TransferTime(share_, simulation_.servers[server].bandwidth_bit_s);
    const double own = TransferTime(share_, simulation_.workers[worker].bandwidth_bit_s);
    Waiting& waiting = waiting_[worker];
    waiting.last = std::max({waiting.last + own, queue.out_free, now + own});
    if (++waiting.answers < servers_.size()) return;
    const double done = waiting.last + simulation_.latency_s;
    waiting = {};
    progress_.Step(worker, done);
    Compute(worker, done);
  }

  // In step: nobody is answered before all have sent.
  void Gather(uint32_t worker, uint32_t server, double now) {
    Queue& queue = servers_[server];
    const double updated = Update(server, now);
    queue.gathered.push_back(worker);
    if (queue.gathered.size() < in_step_) return;
    for (const uint32_t one : queue.gathered) Answer(one, server, updated);
    queue.gathered.clear();
  }

  const Simulation& simulation_;
  SimulationReport& report_;
  Computing computing_;
  Progress progress_;
  const double share_;
  size_t in_step_ = 0;
  std::vector<Queue> servers_;
  std::vector<Waiting> waiting_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
};

// False: `stop` was requested.
bool RunAllReduce(const Simulation& simulation, SimulationReport& report,
                  const std::stop_token& stop) {
  const auto n = static_cast<double>(simulation.workers.size());
  double slowest = 0;
  for (const SimulatedWorker& worker : simulation.workers) {
    slowest = std::max(slowest, TransferTime(simulation.bytes, worker.bandwidth_bit_s));
  }
  const double ring = n > 1 ? 2 * (n - 1) / n * slowest + 2 * (n - 1) * simulation.latency_s : 0;
  Computing computing(simulation);
  Progress progress(simulation, report);
  double now = 0;
  while (progress.HasMore(0)) {
    if (stop.stop_requested()) return false;
    double last = now;
    for (size_t i = 0; i < simulation.workers.size(); ++i) {
      last = std::max(last, computing.Done(i, std::max(now, simulation.workers[i].begin_s)));
      ++report.events;
    }
    now = last + ring;
    for (size_t i = 0; i < simulation.workers.size(); ++i) progress.Step(i, now);
  }
  progress.Finish();
  report.failures = computing.failures();
  return true;
}

}  // namespace

Result<SimulationReport> Simulate(const Simulation& simulation, std::stop_token stop) {
  RECKON_TRY(Check(simulation));
  SimulationReport report;
  const bool done = simulation.strategy == Strategy::kAllReduce
                        ? RunAllReduce(simulation, report, stop)
                        : WithServers(simulation, report).Run(stop);
  if (!done) return base::Error(base::ErrorCode::kInterrupted, "interrupted");
  return report;
}

}  // namespace reckon::decide
