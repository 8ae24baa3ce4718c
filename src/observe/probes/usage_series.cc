#include "observe/probes/usage_series.h"

#include <algorithm>
#include <numeric>

#include "base/check.h"

namespace reckon::observe {
namespace {

constexpr double kHighShare = 0.95;

struct Weighted {
  double value = 0;
  double seconds = 0;
};

// Of what `value(before, after)` says of each two readings, as far as they lie in the stretch.
template <typename Value>
std::optional<Spread> SpreadOf(std::span<const NodeCounters> readings, double from_s, double to_s,
                               const Value& value) {
  std::vector<Weighted> parts;
  double seconds = 0;
  double sum = 0;
  for (size_t i = 1; i < readings.size(); ++i) {
    const double part = std::min(to_s, readings[i].at_s) - std::max(from_s, readings[i - 1].at_s);
    const std::optional<double> found = value(readings[i - 1], readings[i]);
    if (part <= 0 || !found) continue;
    parts.push_back({*found, part});
    seconds += part;
    sum += *found * part;
  }
  if (parts.empty()) return std::nullopt;
  std::sort(parts.begin(), parts.end(),
            [](const Weighted& a, const Weighted& b) { return a.value < b.value; });
  Spread spread{sum / seconds, parts.back().value};
  double below = 0;
  for (const Weighted& part : parts) {
    below += part.seconds;
    if (below < kHighShare * seconds) continue;
    spread.p95 = part.value;
    break;
  }
  return spread;
}

// How fast a counter grew.
template <typename Count>
auto Growth(std::optional<Count> NodeCounters::*counter) {
  return [counter](const NodeCounters& before, const NodeCounters& after) -> std::optional<double> {
    const auto& first = before.*counter;
    const auto& last = after.*counter;
    if (!first || !last || *last < *first) return std::nullopt;
    return static_cast<double>(*last - *first) / (after.at_s - before.at_s);
  };
}

// What the later reading says.
template <typename Value>
auto Later(std::optional<Value> NodeCounters::*gauge) {
  return [gauge](const NodeCounters&, const NodeCounters& after) -> std::optional<double> {
    const auto& value = after.*gauge;
    if (!value) return std::nullopt;
    return static_cast<double>(*value);
  };
}

Spread Scaled(const Spread& spread, double factor) {
  return {spread.mean * factor, spread.p95 * factor};
}

}  // namespace

UsageSeries::UsageSeries(double cpus, uint64_t memory_bytes, size_t most)
    : cpus_(cpus), memory_bytes_(memory_bytes), most_(most) {
  RECKON_CHECK(cpus > 0 && memory_bytes > 0 && most >= 4);
}

void UsageSeries::Add(const NodeCounters& reading) {
  if (!readings_.empty() && reading.at_s <= readings_.back().at_s) return;
  if (readings_.size() == most_) {
    const size_t half = most_ / 2;
    size_t kept = 0;
    for (size_t i = 0; i < readings_.size(); ++i) {
      if (i >= half || i % 2 == 0) readings_[kept++] = readings_[i];
    }
    readings_.resize(kept);
  }
  readings_.push_back(reading);
}

std::span<const NodeCounters> UsageSeries::Around(double from_s, double to_s) const {
  const auto earlier = [](double at_s, const NodeCounters& reading) { return at_s < reading.at_s; };
  const auto later = [](const NodeCounters& reading, double at_s) { return reading.at_s < at_s; };
  // From the last reading that is not after the begin to the first that is not before the end.
  auto first = std::upper_bound(readings_.begin(), readings_.end(), from_s, earlier);
  if (first != readings_.begin()) --first;
  auto end = std::lower_bound(first, readings_.end(), to_s, later);
  if (end != readings_.end()) ++end;
  return {first, end};
}

UsageSeries UsageSeries::Part(double from_s, double to_s) const {
  UsageSeries part(cpus_, memory_bytes_, most_);
  const auto around = Around(from_s, to_s);
  part.readings_.assign(around.begin(), around.end());
  return part;
}

std::optional<UsageSummary> UsageSeries::Summary(double from_s, double to_s) const {
  const std::span<const NodeCounters> readings = Around(from_s, to_s);
  const auto spread = [&](const auto& value) { return SpreadOf(readings, from_s, to_s, value); };
  const auto cores = spread([](const NodeCounters& before, const NodeCounters& after) {
    const double grown = std::max(0.0, after.cpu_s - before.cpu_s);
    return std::optional<double>(grown / (after.at_s - before.at_s));
  });
  const auto memory = spread([](const NodeCounters&, const NodeCounters& after) {
    return std::optional<double>(static_cast<double>(after.memory_bytes));
  });
  if (!cores || !memory) return std::nullopt;
  UsageSummary summary;
  summary.covered_s =
      std::min(to_s, readings.back().at_s) - std::max(from_s, readings.front().at_s);
  summary.cpu_s = cores->mean * summary.covered_s;
  summary.cpu = Scaled(*cores, 1 / cpus_);
  summary.memory = Scaled(*memory, 1 / static_cast<double>(memory_bytes_));
  summary.memory_bytes = *memory;
  summary.steal_cores = spread(Growth(&NodeCounters::steal_s));
  summary.interrupt_cores = spread(Growth(&NodeCounters::interrupt_s));
  summary.disk_read_bytes_s = spread(Growth(&NodeCounters::disk_read_bytes));
  summary.disk_written_bytes_s = spread(Growth(&NodeCounters::disk_written_bytes));
  summary.net_sent_bytes_s = spread(Growth(&NodeCounters::net_sent_bytes));
  summary.net_received_bytes_s = spread(Growth(&NodeCounters::net_received_bytes));
  summary.gpu = spread(Later(&NodeCounters::gpu));
  summary.gpu_memory_bytes = spread(Later(&NodeCounters::gpu_memory_bytes));
  return summary;
}

double ForeignCores(double machine_cpu_s, std::span<const double> ours_cpu_s, double seconds) {
  RECKON_CHECK(seconds > 0);
  const double ours = std::accumulate(ours_cpu_s.begin(), ours_cpu_s.end(), 0.0);
  return std::max(0.0, machine_cpu_s - ours) / seconds;
}

double ForeignCores(const NodeCounters& first, const NodeCounters& last,
                    std::span<const double> ours_cpu_s) {
  return ForeignCores(last.cpu_s - first.cpu_s, ours_cpu_s, last.at_s - first.at_s);
}

}  // namespace reckon::observe
