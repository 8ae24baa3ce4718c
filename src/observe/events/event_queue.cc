#include "observe/events/event_queue.h"

#include <utility>

#include "base/text.h"

namespace reckon::observe {
namespace {

// Together well below what the other side takes: 8 MiB and 10 000 events. A full batch of steps has
// about 100 KB, one of latencies 20 KB.
constexpr size_t kReportBatches = 20;
constexpr size_t kReportEvents = 1000;
constexpr size_t kReportBytes = 1 << 20;

}  // namespace

void EventQueue::Add(std::string event) {
  bytes_ += event.size();
  events_.push_back(std::move(event));
  while (bytes_ > bounds_.most_bytes && events_.size() > 1) {
    bytes_ -= events_.front().size();
    ++dropped_events_;
    events_.pop_front();
  }
}

EventQueue::Portion EventQueue::Take() {
  Portion portion;
  portion.steps = steps_.Take(kReportBatches);
  portion.latencies = latencies_.Take(kReportBatches);
  size_t bytes = 0;
  while (portion.events.size() < kReportEvents && bytes < kReportBytes && !events_.empty()) {
    bytes += events_.front().size();
    bytes_ -= events_.front().size();
    portion.events.push_back(std::move(events_.front()));
    events_.pop_front();
  }
  if (progress_) portion.events.push_back(*std::exchange(progress_, std::nullopt));
  return portion;
}

std::string EventQueue::Portion::ToList() const {
  std::vector<std::string> all;
  all.reserve(steps.size() + latencies.size() + events.size());
  for (const StepBatch& batch : steps) all.push_back(batch.ToEvent());
  for (const LatencyBatch& batch : latencies) all.push_back(batch.ToEvent());
  all.insert(all.end(), events.begin(), events.end());
  return base::Join(all, ",");
}

}  // namespace reckon::observe
