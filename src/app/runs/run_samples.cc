#include "app/runs/run_samples.h"

#include <algorithm>
#include <array>

#include <nlohmann/json.hpp>

#include "core/table_builder.h"

namespace reckon::app {
namespace {

using base::Json;
using core::Cell;
using core::Row;

void AddField(Row& row, const std::string& name, const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return;
  if (found->is_number()) row.emplace_back(name, found->get<double>());
  if (found->is_string() && !found->get<std::string>().empty()) {
    row.emplace_back(name, found->get<std::string>());
  }
}

// A rank names its stages and metrics as it likes; what was asked for and what we measured
// ourselves stays as it is. So a row gets those first. An input that this row lacks is no free name
// either: models would be fitted on what no question can hold.
bool IsTaken(const Row& row, const std::string& column) {
  return IsRunInput(column) || std::any_of(row.begin(), row.end(),
                                           [&](const auto& cell) { return cell.first == column; });
}

void AddTold(Row& row, std::string column, const char* prefix, double value) {
  while (IsTaken(row, column)) column.insert(0, prefix);
  row.emplace_back(std::move(column), value);
}

void AddStage(Row& row, const std::string& stage, double seconds) {
  AddTold(row, stage + "_s", "stage_", seconds);
}

void AddMetric(Row& row, const std::string& metric, double value) {
  AddTold(row, metric, "metric_", value);
}

double Whole(const Json& list, size_t index) {
  return list[list.size() == 1 ? 0 : std::min(index, list.size() - 1)].get<double>();
}

// What was asked for: the columns that both sets begin with.
Row Configuration(int64_t run_id, const Json& job, const Json& plan) {
  Row row;
  row.emplace_back("run", static_cast<double>(run_id));
  AddField(row, "engine", plan, "engine");
  AddField(row, "workers", job, "workers");
  AddField(row, "servers", job, "servers");
  AddField(row, "cpus_per_worker", job, "cpus_per_worker");
  if (!job.contains("trainer")) return row;
  const Json& trainer = job["trainer"];
  AddField(row, "network", trainer, "network");
  AddField(row, "strategy", trainer, "strategy");
  AddField(row, "optimizer", trainer, "optimizer");
  AddField(row, "epochs", trainer, "epochs");
  for (const char* key : {"parameters", "images", "steps_per_epoch"}) AddField(row, key, plan, key);
  const Json knobs = trainer.value("knobs", Json::object());
  for (const auto& [knob, value] : knobs.items()) {
    AddField(row, "knob_" + knob, Json{{"value", value}}, "value");
  }
  return row;
}

void AddBatches(Row& row, const Json& job) {
  if (!job.contains("trainer")) return;
  const Json& batches = job["trainer"]["batches"];
  const auto workers = job["workers"].get<size_t>();
  double sum = 0;
  for (size_t i = 0; i < workers; ++i) sum += Whole(batches, i);
  row.emplace_back("batch", sum / static_cast<double>(workers));
  row.emplace_back("global_batch", sum);
}

void AddSteps(Row& row, const EpochMeasures& measures) {
  if (measures.steps == 0) return;
  const auto steps = static_cast<double>(measures.steps);
  row.emplace_back("steps", steps);
  row.emplace_back("compute_s", measures.compute_s / steps);
  // A script that never tells of its exchanges has not measured them as nothing.
  if (measures.push_s + measures.update_s + measures.pull_s == 0) return;
  row.emplace_back("push_s", measures.push_s / steps);
  row.emplace_back("update_s", measures.update_s / steps);
  row.emplace_back("pull_s", measures.pull_s / steps);
}

void AddToSum(EpochMeasures& sum, const EpochMeasures& one) {
  sum.steps += one.steps;
  sum.compute_s += one.compute_s;
  sum.push_s += one.push_s;
  sum.update_s += one.update_s;
  sum.pull_s += one.pull_s;
}

Row RunRow(Row row, const Json& job, const RunView& view) {
  AddBatches(row, job);
  std::map<std::string, double> stages;  // the slowest worker's
  std::map<std::string, double> metrics;
  std::map<std::string, std::pair<double, int>> epoch_stages;  // sums over epochs of the slowest
  std::map<int64_t, std::map<std::string, double>> slowest;
  EpochMeasures steps;
  RankUsage usage;
  for (const RankView& rank : view.ranks) {
    if (rank.usage) {
      usage.wall_s = std::max(usage.wall_s, rank.usage->wall_s);
      usage.cpu_s += rank.usage->cpu_s;
      usage.peak_memory_bytes += rank.usage->peak_memory_bytes;
      usage.bytes_sent += rank.usage->bytes_sent;
      usage.bytes_received += rank.usage->bytes_received;
    }
    if (rank.role != "worker") continue;
    for (const auto& [name, seconds] : rank.stages) {
      stages[name] = std::max(stages[name], seconds);
    }
    for (const auto& [name, value] : rank.metrics) metrics[name] = value;
    for (const auto& [number, epoch] : rank.epochs) {
      AddToSum(steps, epoch);
      for (const auto& [name, seconds] : epoch.stages) {
        double& most = slowest[number][name];
        most = std::max(most, seconds);
      }
    }
  }
  for (const auto& [number, names] : slowest) {
    for (const auto& [name, seconds] : names) {
      epoch_stages[name].first += seconds;
      ++epoch_stages[name].second;
    }
  }
  AddSteps(row, steps);
  row.emplace_back("wall_s", usage.wall_s);
  row.emplace_back("cpu_s", usage.cpu_s);
  row.emplace_back("peak_memory_bytes", usage.peak_memory_bytes);
  row.emplace_back("bytes_sent", usage.bytes_sent);
  row.emplace_back("bytes_received", usage.bytes_received);
  const auto epochs = view.Epochs();
  if (!epochs.empty()) {
    if (epochs.back().accuracy) row.emplace_back("accuracy", *epochs.back().accuracy);
    if (epochs.back().loss) row.emplace_back("loss", *epochs.back().loss);
  }
  for (const auto& [name, sum] : epoch_stages) AddStage(row, name, sum.first / sum.second);
  for (const auto& [name, seconds] : stages) AddStage(row, name, seconds);
  for (const auto& [name, value] : metrics) AddMetric(row, name, value);
  return row;
}

Row EpochRow(Row row, const Json& job, const RankView& rank, int64_t number,
             const EpochMeasures& epoch) {
  row.emplace_back("worker", static_cast<double>(rank.index));
  if (!rank.host.empty()) row.emplace_back("host", rank.host);
  if (job.contains("trainer")) {
    const Json& trainer = job["trainer"];
    const auto index = static_cast<size_t>(rank.index);
    row.emplace_back("batch", Whole(trainer["batches"], index));
    if (!trainer["shards"].empty()) row.emplace_back("shard", Whole(trainer["shards"], index));
  }
  row.emplace_back("epoch", static_cast<double>(number + 1));
  AddSteps(row, epoch);
  if (epoch.steps > 0) {
    row.emplace_back("bytes_sent", epoch.bytes_sent);
    row.emplace_back("bytes_received", epoch.bytes_received);
  }
  for (const auto& [name, seconds] : epoch.stages) AddStage(row, name, seconds);
  for (const auto& [name, value] : epoch.metrics) AddMetric(row, name, value);
  return row;
}

}  // namespace

bool IsRunInput(std::string_view column) {
  static constexpr std::array<std::string_view, 13> kInputs{
      "engine", "workers", "servers",    "cpus_per_worker", "network", "strategy", "optimizer",
      "epochs", "images",  "parameters", "batch",           "host",    "shard"};
  return std::find(kInputs.begin(), kInputs.end(), column) != kInputs.end() ||
         column.starts_with("knob_");
}

core::Table InputsOf(const Json& job, const Json& plan) {
  Row row = Configuration(0, job, plan);
  AddBatches(row, job);
  core::TableBuilder builder;
  builder.AddRow(row);
  return std::move(builder).Finish("this job");
}

std::vector<core::CollectedRows> SamplesOf(int64_t run_id, const std::string& name, const Json& job,
                                           const Json& plan, const RunView& view) {
  const Row configuration = Configuration(run_id, job, plan);
  core::TableBuilder runs;
  runs.AddRow(RunRow(configuration, job, view));
  std::vector<core::CollectedRows> samples;
  samples.push_back({name + ".runs", std::move(runs).Finish(core::kCollected)});
  core::TableBuilder epochs;
  for (const RankView& rank : view.ranks) {
    if (rank.role != "worker") continue;
    for (const auto& [number, measures] : rank.epochs) {
      epochs.AddRow(EpochRow(configuration, job, rank, number, measures));
    }
  }
  core::Table table = std::move(epochs).Finish(core::kCollected);
  if (table.row_count > 0) samples.push_back({name + ".epochs", std::move(table)});
  return samples;
}

}  // namespace reckon::app
