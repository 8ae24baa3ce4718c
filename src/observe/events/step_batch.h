// Training steps on their way to one `steps` event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace reckon::observe {

// How long the parts of one training step took, and what it cost in traffic.
struct StepRecord {
  int64_t epoch = 0;
  int64_t step = 0;  // counted from 0 within the run
  double wait_s = 0;
  double compute_s = 0;
  double push_s = 0;
  double update_s = 0;
  double pull_s = 0;
  int64_t bytes_sent = 0;
  int64_t bytes_received = 0;
};

// Steps of one epoch that follow each other. At most kMost of them.
class StepBatch {
 public:
  static constexpr size_t kMost = 1000;

  StepBatch(const StepRecord& first, double at);

  // False when `step` is none that follows, or the batch is full. `at`: when the step ended.
  bool Add(const StepRecord& step, double at);
  size_t size() const { return steps_.size(); }
  // The event, as JSON on one line.
  std::string ToEvent() const;

 private:
  std::vector<StepRecord> steps_;
  double at_;
};

}  // namespace reckon::observe
