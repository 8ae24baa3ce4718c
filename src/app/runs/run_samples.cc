#include "app/runs/run_samples.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/runs/node_samples.h"
#include "base/text.h"
#include "core/node.h"
#include "core/table_builder.h"

namespace reckon::app {
namespace {

using base::Json;
using core::Cell;
using core::Row;

constexpr const char* kStress = "stress_";
constexpr const char* kKnown = "known_";

void AddField(Row& row, const std::string& name, const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return;
  if (found->is_number()) row.emplace_back(name, found->get<double>());
  if (found->is_boolean()) row.emplace_back(name, found->get<bool>() ? 1.0 : 0.0);
  if (found->is_string() && !found->get<std::string>().empty()) {
    row.emplace_back(name, found->get<std::string>());
  }
}

// A rank names its stages and metrics as it likes; what was asked for and what we measured
// ourselves stays as it is. So a row gets those first. An input that this row lacks is no free name
// either: models would be fitted on what no question can hold. Nor is what tells rows apart.
bool IsTaken(const Row& row, const std::string& column) {
  constexpr std::array<const char*, 4> kKeys{"run", "worker", "host", "epoch"};
  return IsRunInput(column) || std::find(kKeys.begin(), kKeys.end(), column) != kKeys.end() ||
         std::any_of(row.begin(), row.end(),
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

// Secrets have no business in tables that people pass around.
bool SoundsSecret(std::string name) {
  name = base::ToLower(name);
  constexpr std::array<const char*, 6> kWords{"token", "secret",     "passw",
                                              "key",   "credential", "auth"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](const char* word) { return name.find(word) != std::string::npos; });
}

// As a number if it is one.
void AddText(Row& row, const std::string& name, const std::string& text) {
  const auto number = base::ParseNumber(text);
  row.emplace_back(name, number ? Cell(*number) : Cell(text));
}

// What a command is told by its environment decides how long it takes; for the built-in trainer the
// job says it all.
void AddVariables(Row& row, const Json& job) {
  constexpr size_t kLongest = 64;
  const Json envs = job.value("envs", Json::object());
  for (const auto& [name, value] : envs.items()) {
    const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
    if (text.empty() || text.size() > kLongest || SoundsSecret(name)) continue;
    AddText(row, "env_" + name, text);
  }
}

// The same columns as of the built-in trainer where it tells the same.
void AddKnown(Row& row, const Json& job) {
  constexpr std::array<std::string_view, 6> kTrainers{"multiply_adds", "parameters", "activations",
                                                      "images",        "batch",      "epochs"};
  const Json known = job.value("known", Json::object());
  for (const auto& [name, value] : known.items()) {
    const bool usual = std::find(kTrainers.begin(), kTrainers.end(), name) != kTrainers.end();
    row.emplace_back(usual ? name : kKnown + name, value.get<double>());
  }
}

// Levels of load beside the training, by the name of each.
void AddStress(Row& row, const Json& job) {
  for (const Json& load : job.value("background", Json::array())) {
    if (!load.contains("cpu")) continue;
    for (const char* key : {"cpu", "memory", "disk_bytes_s", "gpu"}) {
      AddField(row, std::string(kStress) + load.value("name", "") + "_" + key, load, key);
    }
  }
}

void AddTrainer(Row& row, const Json& trainer, const Json& plan) {
  for (const char* key : {"network", "strategy", "optimizer", "rate", "momentum", "epochs"}) {
    AddField(row, key, trainer, key);
  }
  AddField(row, "source", trainer, "source");
  for (const char* key :
       {"image", "parameters", "multiply_adds", "activations", "images", "steps_per_epoch"}) {
    AddField(row, key, plan, key);
  }
  for (const char* key : {"validation_images", "float64", "fine_tune", "staleness"}) {
    AddField(row, key, trainer, key);
  }
  // As the network was built, with what the job left open.
  const Json knobs = plan.value("knobs", trainer.value("knobs", Json::object()));
  for (const auto& [knob, value] : knobs.items()) {
    AddText(row, "knob_" + knob, value.is_string() ? value.get<std::string>() : value.dump());
  }
}

// Processors of all workers together: what scaling curves are drawn over.
void AddTotalCpus(Row& row) {
  double workers = 0;
  double each = 0;
  for (const auto& [name, cell] : row) {
    const auto* number = std::get_if<double>(&cell);
    if (number != nullptr && name == "workers") workers = *number;
    if (number != nullptr && name == "cpus_per_worker") each = *number;
  }
  if (workers > 0 && each > 0) row.emplace_back("cpus", workers * each);
}

// What was asked for: the columns that all sets begin with.
Row Configuration(int64_t run_id, const Json& job, const Json& plan) {
  Row row;
  row.emplace_back("run", static_cast<double>(run_id));
  AddField(row, "engine", plan, "engine");
  for (const char* key : {"workers", "servers"}) AddField(row, key, job, key);
  // The plan's, which knows the host; plans of earlier versions have none.
  AddField(row, "cpus_per_worker", plan.contains("cpus_per_worker") ? plan : job,
           "cpus_per_worker");
  AddTotalCpus(row);
  for (const char* key : {"pool", "host_cpus", "dilation"}) AddField(row, key, plan, key);
  AddStress(row, job);
  const Json varied = plan.value("varied", Json::object());
  for (const auto& [key, value] : varied.items()) {
    AddText(row, "varied_" + key, value.get<std::string>());
  }
  if (job.contains("trainer")) {
    AddTrainer(row, job["trainer"], plan);
  } else {
    AddVariables(row, job);
    AddKnown(row, job);
  }
  return row;
}

// Of a command: the trainer's rows tell the epochs that it had.
bool EndedEarly(const Json& job, const RunView& view) {
  if (view.ending.empty() || job.contains("trainer") || !job.contains("early_stop")) return false;
  const auto epochs = view.Epochs();
  const double had = epochs.empty() ? 0 : static_cast<double>(epochs.back().epoch) + 1;
  return had < job["early_stop"].value("epochs", 0.0);
}

// What makes a run no measure of the whole job: columns that are there only when it happened.
void AddBlemishes(Row& row, const Json& job, const Json& plan, const RunView& view) {
  const double infinite = std::numeric_limits<double>::infinity();
  if (view.foreign.value_or(0) > plan.value("most_foreign", infinite) ||
      view.steal.value_or(0) > plan.value("most_steal", infinite) ||
      view.pace_us.value_or(0) > plan.value("most_pace_us", infinite)) {
    row.emplace_back(kDisturbed, 1.0);
  }
  if (EndedEarly(job, view)) row.emplace_back(kEndedEarly, 1.0);
  if (view.LostWorkers() > 0) {
    row.emplace_back(kLostWorkers, static_cast<double>(view.LostWorkers()));
  }
  if (view.BegunAtStep() > 0) row.emplace_back(kBegunAtStep, view.BegunAtStep());
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

void AddMean(Row& row, const char* name, const Measure& measure) {
  if (const auto mean = measure.Mean()) row.emplace_back(name, *mean);
}

void AddSteps(Row& row, const StepMeasures& measures) {
  if (measures.steps == 0) return;
  row.emplace_back("steps", static_cast<double>(measures.steps));
  AddMean(row, "wait_s", measures.wait_s);
  AddMean(row, "compute_s", measures.compute_s);
  AddMean(row, "push_s", measures.push_s);
  AddMean(row, "update_s", measures.update_s);
  AddMean(row, "pull_s", measures.pull_s);
}

// What all processes used. Bytes that were not all counted are no measurement.
void AddUsage(Row& row, const RunView& view) {
  RankUsage usage;
  for (const RankView& rank : view.ranks) {
    if (!rank.usage) continue;
    // Servers may outlive the work.
    if (rank.role == "worker") usage.wall_s = std::max(usage.wall_s, rank.usage->wall_s);
    usage.cpu_s += rank.usage->cpu_s;
    usage.peak_memory_bytes += rank.usage->peak_memory_bytes;
    usage.bytes_sent += rank.usage->bytes_sent;
    usage.bytes_received += rank.usage->bytes_received;
    usage.bytes_complete = usage.bytes_complete && rank.usage->bytes_complete;
    usage.disk_read_bytes += rank.usage->disk_read_bytes;
    usage.disk_written_bytes += rank.usage->disk_written_bytes;
  }
  row.emplace_back("wall_s", usage.wall_s);
  row.emplace_back("cpu_s", usage.cpu_s);
  row.emplace_back("peak_memory_bytes", usage.peak_memory_bytes);
  row.emplace_back("disk_read_bytes", usage.disk_read_bytes);
  row.emplace_back("disk_written_bytes", usage.disk_written_bytes);
  if (!usage.bytes_complete) return;
  row.emplace_back("bytes_sent", usage.bytes_sent);
  row.emplace_back("bytes_received", usage.bytes_received);
}

// Means over epochs of what the slowest worker took.
std::map<std::string, double> EpochStages(const RunView& view) {
  std::map<int64_t, std::map<std::string, double>> slowest;
  for (const RankView& rank : view.ranks) {
    if (rank.role != "worker") continue;
    for (const auto& [number, epoch] : rank.epochs) {
      for (const auto& [name, seconds] : epoch.stages) {
        double& most = slowest[number][name];
        most = std::max(most, seconds);
      }
    }
  }
  std::map<std::string, Measure> sums;
  for (const auto& [number, names] : slowest) {
    for (const auto& [name, seconds] : names) sums[name].Add({seconds, 1});
  }
  std::map<std::string, double> means;
  for (const auto& [name, sum] : sums) means[name] = *sum.Mean();
  return means;
}

Row RunRow(Row row, const Json& job, const Json& plan, const RunView& view) {
  AddBatches(row, job);
  std::map<std::string, double> metrics;
  StepMeasures steps;
  for (const RankView& rank : view.ranks) {
    if (rank.role != "worker") continue;
    for (const auto& [name, value] : rank.metrics) metrics[name] = value;
    steps.Add(rank.steps);
    for (const auto& [number, epoch] : rank.epochs) steps.Add(epoch.steps);
  }
  metrics.erase(kBegunAtStep);
  AddSteps(row, steps);
  AddUsage(row, view);
  if (view.foreign) row.emplace_back("foreign", *view.foreign);
  if (view.steal) row.emplace_back("steal", *view.steal);
  if (view.pace_us) row.emplace_back("pace_us", *view.pace_us);
  AddBlemishes(row, job, plan, view);
  const auto epochs = view.Epochs();
  if (!epochs.empty()) {
    if (epochs.back().accuracy) row.emplace_back("accuracy", *epochs.back().accuracy);
    if (epochs.back().loss) row.emplace_back("loss", *epochs.back().loss);
  }
  for (const auto& [name, seconds] : EpochStages(view)) AddStage(row, name, seconds);
  for (const auto& [name, seconds] : view.SlowestStages()) AddStage(row, name, seconds);
  for (const auto& [name, value] : metrics) AddMetric(row, name, value);
  return row;
}

Row EpochRow(Row row, const Json& job, const RankView& rank, int64_t number,
             const EpochMeasures& epoch) {
  row.emplace_back("worker", static_cast<double>(rank.index));
  if (!rank.host.empty()) {
    row.emplace_back("host", rank.host);
    row.emplace_back("host_type", core::TypeOfNode(rank.host));
  }
  if (job.contains("trainer")) {
    const Json& trainer = job["trainer"];
    const auto index = static_cast<size_t>(rank.index);
    row.emplace_back("batch", Whole(trainer["batches"], index));
    if (!trainer["shards"].empty()) row.emplace_back("shard", Whole(trainer["shards"], index));
  }
  row.emplace_back("epoch", static_cast<double>(number + 1));
  AddSteps(row, epoch.steps);
  if (epoch.steps.bytes_sent.steps > 0) {
    row.emplace_back("bytes_sent", epoch.steps.bytes_sent.sum);
  }
  if (epoch.steps.bytes_received.steps > 0) {
    row.emplace_back("bytes_received", epoch.steps.bytes_received.sum);
  }
  for (const auto& [name, seconds] : epoch.stages) AddStage(row, name, seconds);
  for (const auto& [name, value] : epoch.metrics) AddMetric(row, name, value);
  return row;
}

}  // namespace

bool IsRunInput(std::string_view column) {
  static constexpr std::array<std::string_view, 27> kInputs{
      "cpus",          "pool",       "host_cpus",       "dilation",   "engine",
      "workers",       "servers",    "cpus_per_worker", "network",    "strategy",
      "optimizer",     "rate",       "momentum",        "epochs",     "source",
      "image",         "images",     "batch",           "parameters", "validation_images",
      "float64",       "fine_tune",  "staleness",       "host_type",  "shard",
      "multiply_adds", "activations"};
  return std::find(kInputs.begin(), kInputs.end(), column) != kInputs.end() ||
         column.starts_with("knob_") || column.starts_with("env_") || column.starts_with(kStress) ||
         column.starts_with("varied_") || column.starts_with(kKnown);
}

namespace {

bool IsOfAStep(std::string_view column) {
  static constexpr std::array<std::string_view, 5> kParts{"wait_s", "compute_s", "push_s",
                                                          "update_s", "pull_s"};
  return std::find(kParts.begin(), kParts.end(), column) != kParts.end();
}

}  // namespace

bool IsOfAnEpoch(std::string_view column) {
  return column == "train_epoch_s" || column == "validate_epoch_s";
}

base::Status CheckTimesTheJob(std::string_view target) {
  if (!IsOfAStep(target)) return {};
  return base::BadInput(
      fmt::format("'{}' is the time of a part of a step; expected that of an epoch or of the whole "
                  "job, like training_loop_s",
                  target));
}

bool IsRunInputOf(std::string_view target, std::string_view column) {
  const bool of_one = IsOfAnEpoch(target) || IsOfAStep(target);
  return IsRunInput(column) && !(of_one && column == "epochs");
}

void FillAbsentLoads(core::Table& samples) {
  for (core::Column& column : samples.columns) {
    if (!column.name().starts_with(kStress) || column.kind() != core::ColumnKind::kNumber) continue;
    std::vector<double> cells;
    for (size_t row = 0; row < column.size(); ++row) {
      cells.push_back(std::isnan(column[row]) ? 0 : column[row]);
    }
    column = core::Column::Numbers(column.name(), core::NumberVector::Of(cells));
  }
}

bool IsBlemished(const core::Table& samples, size_t row) {
  return std::any_of(kBlemishes.begin(), kBlemishes.end(), [&](const char* name) {
    const auto column = samples.Find(name);
    return column && samples.columns[*column][row] > 0;
  });
}

std::array<std::string, 3> SampleSetsOf(const std::string& run_name) {
  return {run_name + ".runs", run_name + ".epochs", run_name + ".nodes"};
}

core::Table InputsOf(const Json& job, const Json& plan) {
  Row row = Configuration(0, job, plan);
  AddBatches(row, job);
  core::TableBuilder builder;
  builder.AddRow(row);
  return std::move(builder).Finish("this job");
}

namespace {

// A training that ended early had fewer epochs than it was asked for.
Json AsCarriedOut(const Json& asked, const RunView& view) {
  Json job = asked;
  if (view.ending.empty() || !job.contains("trainer")) return job;
  const auto epochs = static_cast<int64_t>(view.Epochs().size());
  if (epochs > 0 && view.BegunAtStep() == 0) job["trainer"]["epochs"] = epochs;
  return job;
}

}  // namespace

std::vector<core::CollectedRows> SamplesOf(int64_t run_id, const std::string& name,
                                           const Json& asked, const Json& plan,
                                           const RunView& view) {
  const Json job = AsCarriedOut(asked, view);
  const Row configuration = Configuration(run_id, job, plan);
  core::TableBuilder runs;
  runs.AddRow(RunRow(configuration, job, plan, view));
  std::vector<core::CollectedRows> samples;
  const auto sets = SampleSetsOf(name);
  samples.push_back({sets[0], std::move(runs).Finish(core::kCollected)});
  core::TableBuilder epochs;
  for (const RankView& rank : view.ranks) {
    if (rank.role != "worker") continue;
    for (const auto& [number, measures] : rank.epochs) {
      Row row = EpochRow(configuration, job, rank, number, measures);
      AddBlemishes(row, job, plan, view);
      epochs.AddRow(row);
    }
  }
  core::Table table = std::move(epochs).Finish(core::kCollected);
  if (table.row_count > 0) samples.push_back({sets[1], std::move(table)});
  core::TableBuilder nodes;
  for (Row& own : NodeRows(job, view)) {
    Row row = configuration;
    row.insert(row.end(), own.begin(), own.end());
    AddBlemishes(row, job, plan, view);
    nodes.AddRow(row);
  }
  core::Table hosts = std::move(nodes).Finish(core::kCollected);
  if (hosts.row_count > 0) samples.push_back({sets[2], std::move(hosts)});
  return samples;
}

}  // namespace reckon::app
