#include "act/local/node_watch.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include <nlohmann/json.hpp>
#include <sys/resource.h>

namespace reckon::act {
namespace {

using base::Json;
using observe::NodePlace;
using observe::NodeProbe;

double Seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// Of this process and of every one below it that has ended and been waited for.
double OwnCpu() {
  double sum = 0;
  for (const int who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    getrusage(who, &usage);
    sum += Seconds(usage.ru_utime) + Seconds(usage.ru_stime);
  }
  return sum;
}

// From the clock of events to that of probes.
double ProbeTime(double wall_s) {
  const double now =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  return observe::NodeClock() - (now - wall_s);
}

void AddSpread(Json& event, const std::string& name, const observe::Spread& spread) {
  event[name + "_mean"] = spread.mean;
  event[name + "_p95"] = spread.p95;
}

}  // namespace

NodeWatch::NodeWatch(const LaunchSpec& spec, base::Logger& log) : own_at_begin_(OwnCpu()) {
  const auto warn = [&](const base::Error& error) {
    log.Warn("what hosts use is not all measured: " + error.Describe());
  };
  if (auto machine = NodeProbe::Open({}); machine.ok()) {
    machine_ = std::move(machine).value();
    if (auto begin = machine_->Read(); begin.ok()) {
      at_begin_ = *begin;
    } else {
      warn(begin.error());
      machine_ = nullptr;
    }
  } else {
    warn(machine.error());
  }
  std::vector<observe::MeteredNode> nodes;
  for (const ProcessSpec& process : spec.processes) {
    const Place& place = process.place;
    if (std::find(hosts_.begin(), hosts_.end(), place.host) != hosts_.end()) continue;
    auto probe =
        NodeProbe::Open(NodePlace{place.netns, place.cgroups, place.cpus, place.memory_bytes});
    if (!probe.ok()) {
      warn(probe.error());
      continue;
    }
    hosts_.push_back(place.host);
    nodes.push_back({place.host, std::move(probe).value()});
  }
  if (!nodes.empty()) meter_ = std::make_unique<observe::UsageMeter>(std::move(nodes));
}

std::vector<Json> NodeWatch::Usage(const std::string& phase, const Stretch& stretch) const {
  std::vector<Json> events;
  for (const std::string& host : hosts_) {
    const auto usage = meter_->Summary(host, ProbeTime(stretch.from), ProbeTime(stretch.to));
    if (!usage.ok()) continue;  // too short to be seen
    Json event{{"host", host}, {"phase", phase}, {"seconds", usage->covered_s}};
    AddSpread(event, "cpu", usage->cpu);
    AddSpread(event, "memory", usage->memory);
    const std::array optional{std::pair("disk_read_bytes_s", &usage->disk_read_bytes_s),
                              std::pair("disk_written_bytes_s", &usage->disk_written_bytes_s),
                              std::pair("sent_bytes_s", &usage->net_sent_bytes_s),
                              std::pair("received_bytes_s", &usage->net_received_bytes_s),
                              std::pair("gpu", &usage->gpu)};
    for (const auto& [name, spread] : optional) {
      if (*spread) AddSpread(event, name, **spread);
    }
    events.push_back(std::move(event));
  }
  return events;
}

std::optional<NodeWatch::Disturbance> NodeWatch::Disturbed(const std::optional<Stretch>& training) {
  if (machine_ == nullptr) return std::nullopt;
  const auto now = machine_->Read();
  if (!now.ok() || now->at_s <= at_begin_.at_s) return std::nullopt;
  const std::array ours{OwnCpu() - own_at_begin_};
  Disturbance found;
  found.seconds = now->at_s - at_begin_.at_s;
  constexpr double kAlways = 1e12;
  const Stretch stretch = training.value_or(Stretch{0, kAlways});
  found.pace_us = pace_.MeanUs(stretch.from, stretch.to);
  found.foreign = observe::ForeignCores(at_begin_, *now, ours) / machine_->cpus();
  if (now->steal_s && at_begin_.steal_s) {
    found.steal = (*now->steal_s - *at_begin_.steal_s) / found.seconds / machine_->cpus();
  }
  return found;
}

}  // namespace reckon::act
