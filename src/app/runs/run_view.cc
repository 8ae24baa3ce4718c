#include "app/runs/run_view.h"

#include <algorithm>
#include <cmath>
#include <tuple>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace reckon::app {
namespace {

using base::Json;

double NumberAt(const Json& event, const char* key, double otherwise = 0) {
  const auto found = event.find(key);
  return found != event.end() && found->is_number() ? found->get<double>() : otherwise;
}

std::string TextAt(const Json& event, const char* key) {
  const auto found = event.find(key);
  return found != event.end() && found->is_string() ? found->get<std::string>() : "";
}

Measure MeasureAt(const Json& event, const char* key) {
  Measure measure;
  const auto found = event.find(key);
  if (found == event.end() || !found->is_array()) return measure;
  for (const Json& value : *found) measure.sum += value.is_number() ? value.get<double>() : 0;
  measure.steps = static_cast<int64_t>(found->size());
  return measure;
}

bool Has(const Json& event, const char* key) {
  const auto found = event.find(key);
  return found != event.end() && found->is_number();
}

std::string EndInWords(const Json& event) {
  if (Has(event, "exit_code")) {
    const double code = NumberAt(event, "exit_code");
    return code == 0 ? "done" : fmt::format("ended with code {}", code);
  }
  if (Has(event, "signal")) return fmt::format("killed by signal {}", NumberAt(event, "signal"));
  return TextAt(event, "failure");
}

}  // namespace

RankView& RunView::Rank(const std::string& role, int64_t index) {
  for (RankView& rank : ranks) {
    if (rank.role == role && rank.index == index) return rank;
  }
  RankView rank;
  rank.role = role;
  rank.index = index;
  const auto place = std::find_if(ranks.begin(), ranks.end(), [&](const RankView& other) {
    return std::tie(other.role, other.index) > std::tie(role, index);
  });
  return *ranks.insert(place, std::move(rank));
}

namespace {

StepMeasures StepsOf(const Json& event) {
  StepMeasures steps;
  steps.wait_s = MeasureAt(event, "wait_s");
  steps.compute_s = MeasureAt(event, "compute_s");
  steps.push_s = MeasureAt(event, "push_s");
  steps.update_s = MeasureAt(event, "update_s");
  steps.pull_s = MeasureAt(event, "pull_s");
  steps.bytes_sent = MeasureAt(event, "bytes_sent");
  steps.bytes_received = MeasureAt(event, "bytes_received");
  steps.steps = steps.compute_s.steps;
  return steps;
}

Latencies LatenciesOf(const Json& event, double at) {
  Latencies latencies;
  latencies.at = at;
  for (const Json& value : event.value("seconds", Json::array())) {
    if (value.is_number()) latencies.seconds.push_back(value.get<double>());
  }
  latencies.missed = static_cast<int64_t>(NumberAt(event, "missed"));
  latencies.of = TextAt(event, "name");
  return latencies;
}

void AddUsage(const Json& event, RankView& rank) {
  const RankUsage& earlier = rank.earlier_lives;
  const auto complete = event.find("complete");
  RankUsage usage;
  usage.wall_s = earlier.wall_s + NumberAt(event, "wall_s");
  usage.cpu_s = earlier.cpu_s + NumberAt(event, "cpu_s");
  usage.peak_memory_bytes =
      std::max(earlier.peak_memory_bytes, NumberAt(event, "peak_memory_bytes"));
  usage.bytes_sent = earlier.bytes_sent + NumberAt(event, "bytes_sent");
  usage.bytes_received = earlier.bytes_received + NumberAt(event, "bytes_received");
  usage.bytes_complete =
      earlier.bytes_complete && (complete == event.end() || *complete != Json(false));
  usage.disk_read_bytes = earlier.disk_read_bytes + NumberAt(event, "disk_read_bytes");
  usage.disk_written_bytes = earlier.disk_written_bytes + NumberAt(event, "disk_written_bytes");
  usage.cpu_p95_cores = NumberAt(event, "cpu_p95_cores");
  usage.memory_mean_bytes = NumberAt(event, "memory_mean_bytes");
  usage.memory_p95_bytes = NumberAt(event, "memory_p95_bytes");
  usage.sent_p95_bytes_s = NumberAt(event, "sent_p95_bytes_s");
  usage.received_p95_bytes_s = NumberAt(event, "received_p95_bytes_s");
  rank.usage = usage;
}

void AddProgress(const Json& event, double at, RankView& rank) {
  rank.own_remaining_s.reset();
  if (Has(event, "remaining_s")) rank.own_remaining_s = NumberAt(event, "remaining_s");
  rank.guessed_at = at;
  if (!Has(event, "total")) return;  // a guess of what is left, and no more
  rank.done = NumberAt(event, "done");
  rank.total = NumberAt(event, "total");
  rank.unit = TextAt(event, "unit");
  if (rank.times_told++ == 0) {
    rank.first_told_at = at;
    rank.first_done = rank.done;
  }
  rank.last_told_at = at;
}

}  // namespace

void RunView::Add(const Json& event) {
  const std::string kind = TextAt(event, "kind");
  const double at = NumberAt(event, "at");
  if (kind == "run.state") {
    state = core::ParseRunState(TextAt(event, "state"));
    reason = TextAt(event, "reason");
    if (state == core::RunState::kRunning && !running_since) running_since = at;
    if (state && core::IsFinal(*state)) ended_at = at;
    return;
  }
  if (kind == "run.ending") {
    ending = TextAt(event, "reason");
    return;
  }
  if (kind == "background.settled") {
    settled_at = at;
    return;
  }
  if (kind == "node.usage") {
    HostUsage& node = nodes[TextAt(event, "host")];
    auto& phase = TextAt(event, "phase") == "before" ? node.before : node.training;
    for (const auto& [name, value] : event.items()) {
      if (name != "at" && value.is_number()) phase[name] = value.get<double>();
    }
    return;
  }
  if (kind == "run.disturbance") {
    foreign = NumberAt(event, "foreign");
    if (Has(event, "steal")) steal = NumberAt(event, "steal");
    if (Has(event, "pace_us")) pace_us = NumberAt(event, "pace_us");
    return;
  }
  const std::string role = TextAt(event, "role");
  if (role.empty()) return;
  RankView& rank = Rank(role, static_cast<int64_t>(NumberAt(event, "index")));
  const auto epoch = static_cast<int64_t>(NumberAt(event, "epoch"));
  if (kind == "rank.started") {
    rank.host = TextAt(event, "host");
    rank.app = TextAt(event, "app");
    rank.pid = static_cast<int64_t>(NumberAt(event, "pid"));
    rank.state = "running";
    rank.ended = false;
    rank.times_told = 0;
    if (rank.usage) rank.earlier_lives = *rank.usage;
    if (role != "background" && !ranks_from) ranks_from = at;
  } else if (kind == "rank.ended") {
    rank.state = EndInWords(event);
    rank.ended = true;
    rank.ended_well = rank.state == "done";
  } else if (kind == "rank.usage") {
    AddUsage(event, rank);
  } else if (kind == "latency") {
    rank.latencies.push_back(LatenciesOf(event, at));
  } else if (kind == "steps") {
    if (!rank.stages.contains("training_loop")) {
      rank.training_from = rank.training_from.value_or(at);
      rank.training_to = at;
    }
    (Has(event, "epoch") ? rank.epochs[epoch].steps : rank.steps).Add(StepsOf(event));
  } else if (kind == "stage") {
    auto& stages = Has(event, "epoch") ? rank.epochs[epoch].stages : rank.stages;
    const std::string stage = TextAt(event, "stage");
    stages[stage] += NumberAt(event, "seconds");
    if (stage == "training_loop" && !Has(event, "epoch")) {
      rank.training_from = at - NumberAt(event, "seconds");
      rank.training_to = at;
    }
  } else if (kind == "metric") {
    auto& metrics = Has(event, "epoch") ? rank.epochs[epoch].metrics : rank.metrics;
    const std::string name = TextAt(event, "name");
    metrics[name] = NumberAt(event, "value");
    if (name == "accuracy" && Has(event, "epoch")) rank.epochs[epoch].accuracy_at = at;
  } else if (kind == "progress") {
    AddProgress(event, at, rank);
  }
}

std::optional<double> Measure::Mean() const {
  if (steps == 0) return std::nullopt;
  return sum / static_cast<double>(steps);
}

void Measure::Add(const Measure& other) {
  sum += other.sum;
  steps += other.steps;
}

void StepMeasures::Add(const StepMeasures& other) {
  steps += other.steps;
  wait_s.Add(other.wait_s);
  compute_s.Add(other.compute_s);
  push_s.Add(other.push_s);
  update_s.Add(other.update_s);
  pull_s.Add(other.pull_s);
  bytes_sent.Add(other.bytes_sent);
  bytes_received.Add(other.bytes_received);
}

std::optional<double> RankView::Remaining(double now) const {
  if (ended) return std::nullopt;
  if (own_remaining_s) return std::max(0.0, *own_remaining_s - std::max(0.0, now - guessed_at));
  const double gained = done - first_done;
  if (times_told == 0 || gained <= 0) return std::nullopt;
  const double quiet_s = std::max(0.0, now - last_told_at);
  // Between two tellings work goes on as it did; longer silence is work that takes longer.
  const double took_s = last_told_at - first_told_at;
  const double usual_gap_s = took_s / static_cast<double>(std::max<int64_t>(1, times_told - 1));
  const double overdue_s = std::max(0.0, quiet_s - usual_gap_s);
  const double left_s = (total - done) * (took_s + overdue_s) / gained;
  return std::max(0.0, left_s - std::min(quiet_s, usual_gap_s));
}

RunView::Progress RunView::WorkersProgress(double now) const {
  Progress progress;
  for (const RankView& rank : ranks) {
    if (rank.role != "worker" || rank.Lost()) continue;
    progress.done += rank.done;
    progress.total += rank.total;
    if (!rank.unit.empty()) progress.unit = rank.unit;
    if (const auto left_s = rank.Remaining(now)) {
      progress.remaining_s = std::max(progress.remaining_s.value_or(0), *left_s);
    }
  }
  return progress;
}

std::map<std::string, double> RunView::SlowestStages() const {
  std::map<std::string, double> slowest;
  for (const RankView& rank : ranks) {
    if (rank.role != "worker") continue;
    for (const auto& [stage, seconds] : rank.stages) {
      slowest[stage] = std::max(slowest[stage], seconds);
    }
  }
  return slowest;
}

int64_t RunView::LostWorkers() const {
  return std::count_if(ranks.begin(), ranks.end(),
                       [](const RankView& rank) { return rank.role == "worker" && rank.Lost(); });
}

double RunView::BegunAtStep() const {
  double step = 0;
  for (const RankView& rank : ranks) {
    const auto begun = rank.metrics.find("begun_at_step");
    if (begun != rank.metrics.end()) step = std::max(step, begun->second);
  }
  return step;
}

namespace {

// Accuracy over what several workers have validated.
class Accuracy {
 public:
  void Add(const EpochMeasures& measures) {
    const auto accuracy = measures.metrics.find("accuracy");
    if (accuracy == measures.metrics.end()) return;
    if (measures.metrics.contains("validated_alone")) {
      if (measures.accuracy_at < last_at_) return;
      last_at_ = measures.accuracy_at;
      last_ = accuracy->second;
      return;
    }
    const auto counted = measures.metrics.find("validated");
    const double weight = counted == measures.metrics.end() ? 1 : counted->second;
    validated_ += weight;
    correct_ += weight * accuracy->second;
  }
  std::optional<double> Value() const {
    if (last_) return last_;
    if (validated_ > 0) return correct_ / validated_;
    return std::nullopt;
  }

 private:
  double validated_ = 0;
  double correct_ = 0;
  double last_at_ = 0;
  std::optional<double> last_;
};

}  // namespace

std::vector<RunView::Epoch> RunView::Epochs() const {
  std::map<int64_t, Epoch> epochs;
  std::map<int64_t, Accuracy> accuracies;
  std::map<int64_t, std::pair<double, int>> losses;
  for (const RankView& rank : ranks) {
    for (const auto& [number, measures] : rank.epochs) {
      Epoch& epoch = epochs[number];
      epoch.epoch = number;
      const auto stage = [&](const char* name) {
        const auto found = measures.stages.find(name);
        return found == measures.stages.end() ? 0.0 : found->second;
      };
      epoch.train_s = std::max(epoch.train_s, stage("train_epoch"));
      epoch.validate_s = std::max(epoch.validate_s, stage("validate_epoch"));
      accuracies[number].Add(measures);
      const auto loss = measures.metrics.find("loss");
      if (loss != measures.metrics.end()) {
        losses[number].first += loss->second;
        ++losses[number].second;
      }
    }
  }
  std::vector<Epoch> list;
  for (auto& [number, epoch] : epochs) {
    epoch.accuracy = accuracies[number].Value();
    if (losses[number].second > 0) epoch.loss = losses[number].first / losses[number].second;
    list.push_back(epoch);
  }
  return list;
}

}  // namespace reckon::app
