#include "app/recommend/epochs_to_accuracy.h"

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "app/report/samples.h"
#include "base/units.h"
#include "core/job.h"

namespace reckon::app {
namespace {

bool IsAsync(const std::string& strategy) {
  return strategy == core::StrategyName(core::Strategy::kAsyncParameterServer);
}

std::string LevelAt(const core::Table& table, const char* name, size_t row) {
  const auto found = table.Find(name);
  return found ? table.columns[*found].Text(row) : "";
}

struct SeenTraining {
  size_t row = 0;                     // one of its rows
  std::map<int64_t, double> reached;  // accuracy by epoch, from 1 on
};

std::map<int64_t, SeenTraining> TrainingsIn(const core::Table& epochs) {
  std::map<int64_t, SeenTraining> trainings;
  const core::Column* accuracy = NumbersIn(epochs, "accuracy");
  if (accuracy == nullptr) return trainings;
  for (size_t row = 0; row < epochs.row_count; ++row) {
    if (std::isnan((*accuracy)[row])) continue;
    SeenTraining& training = trainings[std::llround(NumberAt(epochs, "run", row, 0))];
    training.row = row;
    double& best = training.reached[std::llround(NumberAt(epochs, "epoch", row, 1))];
    best = std::max(best, (*accuracy)[row]);
  }
  return trainings;
}

// Epochs until the accuracy, or of the whole training where it was not reached.
std::pair<double, bool> EpochsTo(const SeenTraining& training, double accuracy) {
  double before = 0;
  double last = 0;
  for (const auto& [epoch, reached] : training.reached) {
    const auto at = static_cast<double>(epoch);
    if (reached >= accuracy) {
      const double share = reached > before ? (accuracy - before) / (reached - before) : 1;
      return {last + (at - last) * std::clamp(share, 0.0, 1.0), true};
    }
    before = std::max(before, reached);
    last = at;
  }
  return {last, false};
}

}  // namespace

double UpdateImages(const std::string& strategy, double batch, double workers) {
  return IsAsync(strategy) ? batch : batch * workers;
}

double StalenessOf(const std::string& strategy, double workers) {
  return IsAsync(strategy) ? std::max(0.0, workers - 1) : 0;
}

std::vector<decide::EpochsSeen> EpochsSeenIn(const core::Table& epochs, double accuracy) {
  std::vector<decide::EpochsSeen> seen;
  for (const auto& [run, training] : TrainingsIn(epochs)) {
    const std::string strategy = LevelAt(epochs, "strategy", training.row);
    const double workers = NumberAt(epochs, "workers", training.row, 1);
    const double batch = NumberAt(epochs, "batch", training.row, 0);
    const auto [took, reached] = EpochsTo(training, accuracy);
    if (!(batch > 0) || !(took > 0)) continue;
    seen.push_back(
        {UpdateImages(strategy, batch, workers), StalenessOf(strategy, workers), took, reached});
  }
  return seen;
}

base::Result<decide::EpochsLaw> EpochsLawOf(const core::Table& epochs, double accuracy) {
  const std::vector<decide::EpochsSeen> seen = EpochsSeenIn(epochs, accuracy);
  if (seen.empty()) {
    return base::BadInput("the campaign's runs do not tell their accuracy epoch by epoch");
  }
  auto law = decide::EpochsLaw::Fit(seen);
  if (law.ok()) return law;
  double best = 0;
  for (const auto& [run, training] : TrainingsIn(epochs)) {
    for (const auto& [epoch, reached] : training.reached) best = std::max(best, reached);
  }
  return base::BadInput(
      fmt::format("no run of the campaign has reached an accuracy of {}; the best has {}",
                  base::FormatNumber(accuracy), base::FormatNumber(best)));
}

}  // namespace reckon::app
