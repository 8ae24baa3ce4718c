#include "observe/events/latency_batch.h"

#include <nlohmann/json.hpp>

#include "base/json.h"

namespace reckon::observe {

bool LatencyBatch::Add(const LatencyRecord& latency, double at) {
  if (seconds_.size() >= kMost) return false;
  seconds_.push_back(latency.seconds);
  missed_ += latency.missed ? 1 : 0;
  at_ = at;
  return true;
}

std::string LatencyBatch::ToEvent() const {
  return base::DumpJsonLine(
      {{"kind", "latency"}, {"at", at_}, {"seconds", seconds_}, {"missed", missed_}});
}

}  // namespace reckon::observe
