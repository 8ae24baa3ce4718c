#include "app/estimators/estimators.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "app/campaigns/pace_effect.h"
#include "app/campaigns/repeat_noise.h"
#include "app/data.h"
#include "app/estimators/node_tables.h"
#include "app/estimators/sensitivity.h"
#include "app/learning.h"
#include "app/model_source.h"
#include "app/run_splits.h"
#include "app/runs/run_samples.h"
#include "base/rng.h"
#include "core/node.h"
#include "decide/estimate/max_batch.h"
#include "learn/model.h"
#include "learn/model_file.h"
#include "numeric/stats.h"

namespace reckon::app {
namespace {

using base::Result;

constexpr size_t kLeastRows = 12;
constexpr size_t kSplits = 3;
constexpr double kPapersShare = 0.16;

LearnRequest RequestFor(const EstimatorData& data, const EstimatorsRequest& request) {
  LearnRequest learn;
  learn.target = data.target;
  learn.seed = request.seed;
  return learn;
}

// Hosts of one run, and a host with and without the training, have seen the same: whole runs are
// held out.
Result<ValidationMethod> HoldOuts(const std::vector<size_t>& runs,
                                  const EstimatorsRequest& request) {
  ValidationMethod method;
  const double share = request.holdout.value_or(kPapersShare);
  method.label = fmt::format("hold-out {:.0f} %", 100 * share);
  const base::Rng rng(request.seed);
  for (size_t i = 0; i < kSplits; ++i) {
    RECKON_ASSIGN(learn::Split split, learn::GroupedHoldOutSplit(runs, share, rng.Fork(i)));
    method.splits.push_back(std::move(split));
  }
  return method;
}

// Standard deviation of the percentage errors.
double DeviationPercent(const Gathered& held_out) {
  std::vector<double> errors;
  for (size_t i = 0; i < held_out.truth.size(); ++i) {
    errors.push_back(100 * std::abs(held_out.predicted[i] / held_out.truth[i] - 1));
  }
  const double mean = numeric::Mean(errors);
  double squares = 0;
  for (const double error : errors) squares += (error - mean) * (error - mean);
  return std::sqrt(squares / static_cast<double>(errors.size()));
}

// A learned function with its place in the report.
struct Learned {
  EstimatorRow row;
  learn::Model model;
};

Result<Learned> Learn(const EstimatorData& data, const EstimatorsRequest& request,
                      const Context& context, std::vector<std::string>& notes) {
  RECKON_ASSIGN(const Prepared prepared,
                PrepareTable(RequestFor(data, request), data.table, context));
  RECKON_ASSIGN(const ValidationMethod method, HoldOuts(data.runs, request));
  std::vector<std::string> own_notes;  // of searches: the same for every function
  RECKON_ASSIGN(const std::vector<ValidationBlock> blocks,
                RunSplits(prepared, {method}, context, own_notes));
  RECKON_ASSIGN(learn::SearchOutcome outcome,
                learn::Search(prepared.data, prepared.search, context.stop, context.progress));
  const ValidationBlock& block = blocks.front();
  Learned learned;
  learned.row.node_type = data.node_type;
  learned.row.function = data.function;
  learned.row.inputs = prepared.data.schema.Names();
  learned.row.train_rows = method.splits.front().train.size();
  learned.row.test_rows = method.splits.front().test.size();
  learned.row.mape_percent = block.chosen.validation->mape_percent.value_or(0);
  learned.row.deviation_percent = DeviationPercent(block.chosen_held_out);
  learned.row.technique = outcome.contenders.front().fitted.candidate.technique;
  learned.model = learn::MakeModel(prepared.data, prepared.search, std::move(outcome));
  learned.model.data_fingerprint = FingerprintOf(data.table);
  if (learned.row.test_rows * kSplits < 20) {
    notes.push_back(
        fmt::format("{} of {}: few rows, so the error says little", data.function, data.node_type));
  }
  return learned;
}

// How far repeats are apart, of all that the function was learned from.
std::optional<double> NoisePercent(const EstimatorData& data, const core::Table& nodes,
                                   const History& history) {
  std::vector<size_t> rows;
  const core::Column& host = nodes.columns[*nodes.Find("host")];
  for (size_t row = 0; row < nodes.row_count; ++row) {
    if (core::TypeOfNode(host.Text(row)) == data.node_type) rows.push_back(row);
  }
  const core::Table own = nodes.Select(rows);
  double sum = 0;
  size_t groups = 0;
  for (const std::string& column : data.measured) {
    const RepeatNoise noise = NoiseOf(history, own, column);
    sum += noise.percent.value_or(0) * static_cast<double>(noise.groups);
    groups += noise.groups;
  }
  if (groups == 0) return std::nullopt;
  return sum / static_cast<double>(groups);
}

std::optional<double> MeanNoise(const std::vector<EstimatorRow>& estimators) {
  std::vector<double> known;
  for (const EstimatorRow& row : estimators) {
    if (row.noise_percent) known.push_back(*row.noise_percent);
  }
  if (known.empty()) return std::nullopt;
  return numeric::Mean(known);
}

// The model of memory asked at one state and many batches; other inputs at their usual values.
class MemoryQuestion {
 public:
  MemoryQuestion(const learn::Model& model, const core::Table& table) : model_(model) {
    const auto names = model.schema.Names();
    x_.resize(1, static_cast<Eigen::Index>(names.size()));
    for (size_t i = 0; i < names.size(); ++i) {
      std::vector<double> values;
      const core::Column& column = table.columns[*table.Find(names[i])];
      for (size_t row = 0; row < column.size(); ++row) values.push_back(column[row]);
      x_(0, static_cast<Eigen::Index>(i)) = numeric::Median(values);
      if (names[i] == "batch") batch_ = static_cast<Eigen::Index>(i);
      if (names[i] == "memory_before") memory_ = static_cast<Eigen::Index>(i);
    }
  }

  bool AboutBatches() const { return batch_.has_value(); }
  bool AboutMemory() const { return memory_.has_value(); }
  double Ask(double memory_before, int64_t batch) const {
    learn::Matrix x = x_;
    if (memory_) x(0, *memory_) = memory_before;
    x(0, *batch_) = static_cast<double>(batch);
    return model_.PredictBounds(x).predicted(0);
  }

 private:
  const learn::Model& model_;
  learn::Matrix x_;
  std::optional<Eigen::Index> batch_;
  std::optional<Eigen::Index> memory_;
};

std::vector<double> DistinctOf(const core::Table& table, const std::string& name) {
  std::vector<double> values;
  const auto found = table.Find(name);
  for (size_t row = 0; found && row < table.row_count; ++row) {
    values.push_back(table.columns[*found][row]);
  }
  return numeric::Distinct(values);
}

// At the smallest, a middle and the largest state of memory that was measured.
std::vector<MaxBatchRow> MaxBatches(const EstimatorData& data, const learn::Model& model,
                                    double limit) {
  std::vector<MaxBatchRow> rows;
  const MemoryQuestion question(model, data.table);
  const std::vector<double> batches = DistinctOf(data.table, "batch");
  if (!question.AboutBatches() || batches.empty()) return rows;
  const auto least = static_cast<int64_t>(batches.front());
  const auto most = static_cast<int64_t>(batches.back());
  std::vector<double> states = DistinctOf(data.table, "memory_before");
  if (!question.AboutMemory() || states.empty()) states = {0};
  for (const size_t index : {size_t{0}, states.size() / 2, states.size() - 1}) {
    MaxBatchRow row{data.node_type, states[index], {}, false};
    if (!rows.empty() && rows.back().memory_before == row.memory_before) continue;
    row.batch = decide::MaxBatch(
        [&](int64_t batch) { return question.Ask(row.memory_before, batch); }, least, most, limit);
    row.at_end = row.batch == most;
    rows.push_back(row);
  }
  return rows;
}

}  // namespace

Result<EstimatorsReport> FitEstimators(const EstimatorsRequest& request, const Context& context) {
  EstimatorsReport report;
  report.campaign = request.campaign;
  core::Table nodes;
  History history;
  {
    RECKON_ASSIGN(const auto store, OpenStore(context, false));
    const auto campaign = store->FindCampaign(request.campaign);
    const bool known = campaign.ok();
    if (!known && campaign.error().code() != base::ErrorCode::kNotFound) return campaign.error();
    const std::string set = SampleSetsOf(request.campaign)[2];
    auto loaded = store->LoadSamples(set);
    if (!loaded.ok() && !known) return campaign.error();
    if (known) {
      RECKON_ASSIGN(const base::Json document,
                    base::ParseJson(campaign->document, "document of a campaign"));
      RECKON_ASSIGN(history, LoadHistory(*store, *campaign,
                                         document.value("target", "training_loop_s"), context));
    } else {
      report.notes.push_back(fmt::format(
          "'{}' was measured elsewhere: what its repeats differ by is not known here", set));
    }
    if (!loaded.ok()) {
      return std::move(loaded).error().Wrap(
          fmt::format("campaign '{}' has measured no hosts", request.campaign));
    }
    nodes = *std::move(loaded);
  }
  if (const std::string text = PaceText(AdjustToUsualPace(history, nodes)); !text.empty()) {
    report.notes.push_back(text);
  }
  report.rows = nodes.row_count;
  const std::vector<EstimatorData> all = EstimatorTables(nodes, kLeastRows);
  if (all.empty()) {
    return base::BadInput(fmt::format(
        "campaign '{}' has measured {} undisturbed hosts or fewer of every type; estimators need "
        "{}, with states that differ",
        request.campaign, kLeastRows - 1, kLeastRows));
  }
  for (const EstimatorData& data : all) {
    for (SensitivityRow& row : SensitivityOf(data)) report.sensitivity.push_back(std::move(row));
    RECKON_ASSIGN(Learned learned, Learn(data, request, context, report.notes));
    learned.row.noise_percent = NoisePercent(data, nodes, history);
    if (request.save) {
      learned.row.model = fmt::format("{}.{}.{}", request.campaign, data.node_type, data.name);
      RECKON_TRY(
          SaveModel(learned.row.model, learned.model, learn::ModelToText(learned.model), context));
    }
    if (data.name == "state_memory") {
      for (MaxBatchRow& row : MaxBatches(data, learned.model, request.memory_limit)) {
        report.max_batches.push_back(row);
      }
    }
    report.mean_mape_percent += learned.row.mape_percent / static_cast<double>(all.size());
    report.estimators.push_back(std::move(learned.row));
  }
  report.mean_noise_percent = MeanNoise(report.estimators);
  return report;
}

}  // namespace reckon::app
