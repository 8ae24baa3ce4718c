#include "app/runs/node_samples.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

namespace reckon::app {
namespace {

using base::Json;
using core::Row;

struct Stretch {
  double from = 0;
  double to = 0;
};

// When all workers were training.
std::optional<Stretch> Training(const RunView& view) {
  std::optional<Stretch> common;
  for (const RankView& rank : view.ranks) {
    if (rank.role != "worker" || !rank.training_from) continue;
    if (!common) common = Stretch{*rank.training_from, *rank.training_to};
    common->from = std::max(common->from, *rank.training_from);
    common->to = std::min(common->to, *rank.training_to);
  }
  return common;
}

// The p95 is of the upper kind: a time that was really measured.
void AddLatencies(Row& row, const std::string& prefix, const std::string& suffix,
                  std::vector<double> seconds, int64_t missed) {
  if (seconds.empty()) return;
  double sum = 0;
  for (const double value : seconds) sum += value;
  const auto count = static_cast<double>(seconds.size());
  const auto rank = static_cast<size_t>(std::ceil(0.95 * count)) - 1;
  std::nth_element(seconds.begin(), seconds.begin() + static_cast<ptrdiff_t>(rank), seconds.end());
  row.emplace_back(prefix + "latency_s" + suffix, sum / count);
  row.emplace_back(prefix + "latency_p95_s" + suffix, seconds[rank]);
  row.emplace_back(prefix + "deadline_missed" + suffix, static_cast<double>(missed) / count);
  row.emplace_back(prefix + "latencies" + suffix, count);
}

// "sift", or "web.search" of a process that has several kinds of requests.
std::string AppOf(const RankView& rank, const Latencies& told) {
  if (rank.app.empty() || told.of.empty()) return rank.app + told.of;
  return rank.app + "." + told.of;
}

// Of the host's only app; where there are several, each with its name before the columns' names.
void AddApps(Row& row, const std::string& host, const RunView& view, const Stretch& training) {
  struct Told {
    std::vector<double> seconds;
    int64_t missed = 0;
  };
  struct App {
    Told before;
    Told meanwhile;
  };
  std::map<std::string, App> apps;
  for (const RankView& rank : view.ranks) {
    if (rank.role != "background" || rank.host != host) continue;
    for (const Latencies& told : rank.latencies) {
      App& app = apps[AppOf(rank, told)];
      // Between, workers load their libraries and data: that is neither.
      const bool is_before = view.settled_at && view.ranks_from && told.at >= *view.settled_at &&
                             told.at <= *view.ranks_from;
      if (!is_before && (told.at < training.from || told.at > training.to)) continue;
      Told& into = is_before ? app.before : app.meanwhile;
      into.seconds.insert(into.seconds.end(), told.seconds.begin(), told.seconds.end());
      into.missed += told.missed;
    }
  }
  for (auto& [name, app] : apps) {
    const std::string prefix = apps.size() > 1 ? name + "." : "";
    AddLatencies(row, prefix, "_before", std::move(app.before.seconds), app.before.missed);
    AddLatencies(row, prefix, "", std::move(app.meanwhile.seconds), app.meanwhile.missed);
  }
}

double BatchOf(const Json& job, int64_t worker) {
  const Json& batches = job["trainer"]["batches"];
  return batches[std::min(static_cast<size_t>(worker), batches.size() - 1)].get<double>();
}

// Means over the host's workers. Per sample, since a step of a larger batch is not slower work.
void AddSteps(Row& row, const std::string& host, const Json& job, const RunView& view) {
  StepMeasures steps;
  double batches = 0;
  double workers = 0;
  for (const RankView& rank : view.ranks) {
    if (rank.role != "worker" || rank.host != host) continue;
    ++workers;
    steps.Add(rank.steps);
    for (const auto& [number, epoch] : rank.epochs) steps.Add(epoch.steps);
    if (job.contains("trainer")) batches += BatchOf(job, rank.index);
  }
  row.emplace_back("host_workers", workers);
  if (workers == 0 || steps.steps == 0) return;
  const double compute_s = steps.compute_s.Mean().value_or(0);
  row.emplace_back("compute_s", compute_s);
  if (batches > 0) {
    row.emplace_back("batch", batches / workers);
    row.emplace_back("compute_per_sample_s", compute_s * workers / batches);
  }
  double exchange_s = 0;
  for (const Measure* part : {&steps.push_s, &steps.update_s, &steps.pull_s}) {
    exchange_s += part->Mean().value_or(0);
  }
  row.emplace_back("exchange_s", exchange_s);
}

bool IsServer(const std::string& host, const RunView& view) {
  return std::any_of(view.ranks.begin(), view.ranks.end(), [&](const RankView& rank) {
    return rank.role == "server" && rank.host == host;
  });
}

// The busiest of the servers' hosts: it is waited for.
void AddServers(Row& row, const RunView& view) {
  std::optional<double> before;
  std::optional<double> meanwhile;
  for (const auto& [host, usage] : view.nodes) {
    if (!IsServer(host, view)) continue;
    const auto take = [](const std::map<std::string, double>& phase, std::optional<double>& most) {
      const auto found = phase.find("cpu_mean");
      if (found != phase.end()) most = std::max(most.value_or(0), found->second);
    };
    take(usage.before, before);
    take(usage.training, meanwhile);
  }
  if (before) row.emplace_back("server_cpu_before", *before);
  if (meanwhile) row.emplace_back("server_cpu_mean", *meanwhile);
}

}  // namespace

std::vector<Row> NodeRows(const Json& job, const RunView& view) {
  std::vector<Row> rows;
  const auto training = Training(view);
  if (!training) return rows;
  for (const auto& [host, usage] : view.nodes) {
    if (usage.training.empty()) continue;
    Row row;
    row.emplace_back("host", host);
    row.emplace_back("serves", IsServer(host, view) ? 1.0 : 0.0);
    for (const auto& [name, value] : usage.before) {
      if (name.ends_with("_mean"))
        row.emplace_back(name.substr(0, name.size() - 5) + "_before", value);
    }
    for (const auto& [name, value] : usage.training) {
      row.emplace_back(name == "seconds" ? "observed_s" : name, value);
    }
    AddSteps(row, host, job, view);
    AddServers(row, view);
    AddApps(row, host, view, *training);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace reckon::app
