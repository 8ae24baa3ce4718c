// Latencies on their way to one `latency` event.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace reckon::observe {

// How long one request or cycle of a background process took, and whether it came too late.
struct LatencyRecord {
  double seconds = 0;
  bool missed = false;
};

// Several in the order they came. At most kMost of them.
class LatencyBatch {
 public:
  static constexpr size_t kMost = 1000;

  LatencyBatch(const LatencyRecord& first, double at) { Add(first, at); }

  // False when the batch is full. `at`: when it ended.
  bool Add(const LatencyRecord& latency, double at);
  size_t size() const { return seconds_.size(); }
  // The event, as JSON on one line.
  std::string ToEvent() const;

 private:
  std::vector<double> seconds_;
  size_t missed_ = 0;
  double at_ = 0;
};

}  // namespace reckon::observe
