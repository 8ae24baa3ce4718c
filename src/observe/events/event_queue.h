// Events that wait to be sent, within a bound.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "observe/events/batch_queue.h"
#include "observe/events/latency_batch.h"
#include "observe/events/step_batch.h"

namespace reckon::observe {

struct QueueBounds {
  size_t most_steps = 100'000;
  size_t most_latencies = 100'000;
  size_t most_bytes = 4 << 20;  // of all other events together, as JSON
};

// Not thread-safe. When it is full the oldest go first: steps for the sake of steps, latencies for
// the sake of latencies, other events for the sake of other events.
class EventQueue {
 public:
  explicit EventQueue(const QueueBounds& bounds)
      : bounds_(bounds), steps_(bounds.most_steps), latencies_(bounds.most_latencies) {}

  void Add(const StepRecord& step, double at) { steps_.Add(step, at); }
  void Add(const LatencyRecord& latency, double at) { latencies_.Add(latency, at); }
  void Add(std::string event);  // JSON on one line
  // The newest progress takes the place of one that still waits.
  void SetProgress(std::string event) { progress_ = std::move(event); }

  bool empty() const {
    return steps_.empty() && latencies_.empty() && events_.empty() && !progress_;
  }
  size_t dropped_steps() const { return steps_.dropped(); }
  size_t dropped_latencies() const { return latencies_.dropped(); }
  size_t dropped_events() const { return dropped_events_; }

  // What goes into one report.
  struct Portion {
    std::vector<StepBatch> steps;
    std::vector<LatencyBatch> latencies;
    std::vector<std::string> events;

    bool empty() const { return steps.empty() && latencies.empty() && events.empty(); }
    std::string ToList() const;  // the inside of a JSON list
  };
  // The oldest; empty when there are none.
  Portion Take();

 private:
  const QueueBounds bounds_;
  BatchQueue<StepBatch> steps_;
  BatchQueue<LatencyBatch> latencies_;
  std::deque<std::string> events_;
  size_t bytes_ = 0;  // in events_
  std::optional<std::string> progress_;
  size_t dropped_events_ = 0;
};

}  // namespace reckon::observe
