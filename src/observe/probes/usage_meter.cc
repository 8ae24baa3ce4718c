#include "observe/probes/usage_meter.h"

#include <algorithm>
#include <condition_variable>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"

namespace reckon::observe {

UsageMeter::UsageMeter(std::vector<MeteredNode> nodes, std::chrono::milliseconds period)
    : period_(period) {
  for (MeteredNode& node : nodes) {
    UsageSeries series(node.probe->cpus(), node.probe->memory_bytes());
    entries_.push_back(
        {std::move(node.name), std::move(node.probe), std::move(series), std::nullopt});
  }
  ReadAll();
  thread_ = std::jthread([this](const std::stop_token& stop) { ReadOnAndOn(stop); });
}

UsageMeter::~UsageMeter() = default;

void UsageMeter::ReadAll() {
  for (Entry& entry : entries_) {
    auto reading = entry.probe->Read();
    const std::scoped_lock lock(mutex_);
    if (reading.ok()) {
      entry.series.Add(*reading);
      entry.trouble.reset();
    } else {
      entry.trouble = std::move(reading).error();
    }
  }
}

void UsageMeter::ReadOnAndOn(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  auto next = std::chrono::steady_clock::now() + period_;
  std::unique_lock lock(mutex);
  while (!never.wait_until(lock, stop, next, [] { return false; })) {
    if (stop.stop_requested()) return;
    ReadAll();
    // What was missed on a busy machine is not made up for: that would only add to the load.
    const auto now = std::chrono::steady_clock::now();
    next = next + period_ > now ? next + period_ : now + period_;
  }
}

base::Result<UsageSummary> UsageMeter::Summary(const std::string& name, double from_s,
                                               double to_s) const {
  const auto entry = std::find_if(entries_.begin(), entries_.end(),
                                  [&](const Entry& other) { return other.name == name; });
  if (entry == entries_.end()) {
    std::vector<std::string> names;
    for (const Entry& other : entries_) names.push_back(other.name);
    return base::Error(base::ErrorCode::kNotFound, fmt::format("no node '{}' is measured{}", name,
                                                               base::SuggestFrom(name, names)));
  }
  std::unique_lock lock(mutex_);
  const UsageSeries part = entry->series.Part(from_s, to_s);
  const std::optional<base::Error> trouble = entry->trouble;
  lock.unlock();
  if (const auto summary = part.Summary(from_s, to_s)) return *summary;
  const std::string message = fmt::format("nothing was measured on {} in that time", name);
  if (trouble) return base::Error(*trouble).Wrap(message);
  return base::Error(base::ErrorCode::kUnavailable, message);
}

}  // namespace reckon::observe
