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

double SumAt(const Json& event, const char* key) {
  const auto found = event.find(key);
  double sum = 0;
  if (found == event.end() || !found->is_array()) return sum;
  for (const Json& value : *found) sum += value.is_number() ? value.get<double>() : 0;
  return sum;
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

void RunView::AddSteps(const Json& event, RankView& rank) {
  EpochMeasures& epoch = rank.epochs[static_cast<int64_t>(NumberAt(event, "epoch"))];
  const auto computes = event.find("compute_s");
  if (computes == event.end() || !computes->is_array()) return;
  epoch.steps += static_cast<int64_t>(computes->size());
  epoch.compute_s += SumAt(event, "compute_s");
  epoch.push_s += SumAt(event, "push_s");
  epoch.update_s += SumAt(event, "update_s");
  epoch.pull_s += SumAt(event, "pull_s");
  epoch.bytes_sent += SumAt(event, "bytes_sent");
  epoch.bytes_received += SumAt(event, "bytes_received");
}

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
  const std::string role = TextAt(event, "role");
  if (role.empty()) return;
  RankView& rank = Rank(role, static_cast<int64_t>(NumberAt(event, "index")));
  const auto epoch = static_cast<int64_t>(NumberAt(event, "epoch"));
  if (kind == "rank.started") {
    rank.host = TextAt(event, "host");
    rank.pid = static_cast<int64_t>(NumberAt(event, "pid"));
    rank.state = "running";
    rank.ended = false;
  } else if (kind == "rank.ended") {
    rank.state = EndInWords(event);
    rank.ended = true;
    rank.ended_well = rank.state == "done";
  } else if (kind == "rank.usage") {
    rank.usage = RankUsage{NumberAt(event, "wall_s"), NumberAt(event, "cpu_s"),
                           NumberAt(event, "peak_memory_bytes"), NumberAt(event, "bytes_sent"),
                           NumberAt(event, "bytes_received")};
  } else if (kind == "steps") {
    AddSteps(event, rank);
  } else if (kind == "stage") {
    auto& stages = Has(event, "epoch") ? rank.epochs[epoch].stages : rank.stages;
    stages[TextAt(event, "stage")] += NumberAt(event, "seconds");
  } else if (kind == "metric") {
    auto& metrics = Has(event, "epoch") ? rank.epochs[epoch].metrics : rank.metrics;
    const std::string name = TextAt(event, "name");
    metrics[name] = NumberAt(event, "value");
    if (name == "accuracy" && Has(event, "epoch")) rank.epochs[epoch].accuracy_at = at;
  } else if (kind == "progress") {
    rank.done = NumberAt(event, "done");
    rank.total = NumberAt(event, "total");
    rank.unit = TextAt(event, "unit");
    if (Has(event, "remaining_s")) rank.remaining_s = NumberAt(event, "remaining_s");
    if (!first_told_at_) {
      first_told_at_ = at;
      first_told_ = WorkersProgress(at).done;
    }
  }
}

RunView::Progress RunView::WorkersProgress(double now) const {
  Progress progress;
  for (const RankView& rank : ranks) {
    if (rank.role != "worker" || (rank.ended && !rank.ended_well)) continue;
    progress.done += rank.done;
    progress.total += rank.total;
    if (!rank.unit.empty()) progress.unit = rank.unit;
    if (rank.remaining_s) {
      progress.remaining_s = std::max(progress.remaining_s.value_or(0), *rank.remaining_s);
    }
  }
  if (!progress.remaining_s && first_told_at_ && progress.done > first_told_) {
    const double rate = (progress.done - first_told_) / std::max(1e-3, now - *first_told_at_);
    progress.remaining_s = (progress.total - progress.done) / rate;
  }
  return progress;
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
