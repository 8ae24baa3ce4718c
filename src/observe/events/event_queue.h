// Events that wait to be sent, within a bound.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "observe/events/step_batch.h"

namespace reckon::observe {

struct QueueBounds {
  size_t most_steps = 100'000;
  size_t most_bytes = 4 << 20;  // of all other events together, as JSON
};

// Not thread-safe. When it is full the oldest go first: steps for the sake of steps, other events
// for the sake of other events.
class EventQueue {
 public:
  explicit EventQueue(const QueueBounds& bounds) : bounds_(bounds) {}

  void Add(const StepRecord& step, double at);
  void Add(std::string event);  // JSON on one line
  // The newest progress takes the place of one that still waits.
  void SetProgress(std::string event) { progress_ = std::move(event); }

  bool empty() const { return batches_.empty() && events_.empty() && !progress_; }
  size_t dropped_steps() const { return dropped_steps_; }
  size_t dropped_events() const { return dropped_events_; }

  // What goes into one report.
  struct Portion {
    std::vector<StepBatch> batches;
    std::vector<std::string> events;

    bool empty() const { return batches.empty() && events.empty(); }
    std::string ToList() const;  // the inside of a JSON list
  };
  // The oldest; empty when there are none.
  Portion Take();

 private:
  const QueueBounds bounds_;
  std::deque<StepBatch> batches_;
  size_t steps_ = 0;  // in batches_
  std::deque<std::string> events_;
  size_t bytes_ = 0;  // in events_
  std::optional<std::string> progress_;
  size_t dropped_steps_ = 0;
  size_t dropped_events_ = 0;
};

}  // namespace reckon::observe
