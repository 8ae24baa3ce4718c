#include "app/campaigns/pace_effect.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <nlohmann/json.hpp>

#include "numeric/stats.h"

namespace reckon::app {
namespace {

constexpr std::array<const char*, 10> kTimes{
    "train_s",          "fit_s",     "training_loop_s", "train_epoch_s", "wall_s",
    "validate_epoch_s", "compute_s", "push_s",          "update_s",      "pull_s"};
constexpr size_t kFewestRepeats = 10;  // beyond the first of each point
constexpr double kLeastExplained = 0.2;
constexpr double kMostPower = 1.5;

// By run. Those of runs that tell none are missing.
std::map<int64_t, double> PacesOf(const core::Table& runs) {
  std::map<int64_t, double> paces;
  const auto run = runs.Find("run");
  const auto pace = runs.Find("pace_us");
  for (size_t row = 0; run && pace && row < runs.row_count; ++row) {
    const double us = runs.columns[*pace][row];
    if (us > 0) paces[std::llround(runs.columns[*run][row])] = us;
  }
  return paces;
}

// The power of the pace in a column, by repeats of the same point.
std::optional<double> PowerOf(const History& history, const core::Table& runs,
                              const std::map<int64_t, double>& paces, size_t column) {
  struct Repeat {
    double pace;
    double time;
  };
  const auto points = PointsByRun(history);
  const size_t run = *runs.Find("run");
  std::map<std::string, std::vector<Repeat>> groups;
  for (size_t row = 0; row < runs.row_count; ++row) {
    const double time = runs.columns[column][row];
    const int64_t id = std::llround(runs.columns[run][row]);
    const auto point = points.find(id);
    const auto pace = paces.find(id);
    if (!(time > 0) || point == points.end() || pace == paces.end()) continue;
    groups[point->second].push_back({std::log(pace->second), std::log(time)});
  }
  size_t repeats = 0;
  double pace_squares = 0;
  double time_squares = 0;
  double products = 0;
  for (const auto& [point, group] : groups) {
    if (group.size() < 2) continue;
    repeats += group.size() - 1;
    const auto count = static_cast<double>(group.size());
    Repeat mean{0, 0};
    for (const Repeat& one : group) {
      mean.pace += one.pace / count;
      mean.time += one.time / count;
    }
    for (const Repeat& one : group) {
      pace_squares += (one.pace - mean.pace) * (one.pace - mean.pace);
      time_squares += (one.time - mean.time) * (one.time - mean.time);
      products += (one.pace - mean.pace) * (one.time - mean.time);
    }
  }
  if (repeats < kFewestRepeats || !(pace_squares > 0) || !(time_squares > 0)) return std::nullopt;
  if (products <= 0 || products * products < kLeastExplained * pace_squares * time_squares) {
    return std::nullopt;
  }
  return std::min(products / pace_squares, kMostPower);
}

void Adjust(core::Table& table, const std::string& name, const std::map<int64_t, double>& paces,
            const PaceEffect& effect) {
  const auto column = table.Find(name);
  const auto run = table.Find("run");
  if (!column || !run || table.columns[*column].kind() != core::ColumnKind::kNumber) return;
  std::vector<double> cells;
  for (size_t row = 0; row < table.row_count; ++row) {
    const auto pace = paces.find(std::llround(table.columns[*run][row]));
    const double factor =
        pace == paces.end() ? 1 : std::pow(effect.usual_us / pace->second, effect.power);
    cells.push_back(table.columns[*column][row] * factor);
  }
  table.columns[*column] = core::Column::Numbers(name, core::NumberVector::Of(cells));
}

}  // namespace

std::vector<PaceEffect> AdjustToUsualPace(const History& history, core::Table& runs,
                                          core::Table& epochs) {
  const std::map<int64_t, double> paces = PacesOf(runs);
  std::vector<PaceEffect> effects;
  if (paces.empty()) return effects;
  std::vector<double> all;
  for (const auto& [run, us] : paces) all.push_back(us);
  const double usual_us = numeric::Median(all);
  for (const char* name : kTimes) {
    const auto column = runs.Find(name);
    if (!column || runs.columns[*column].kind() != core::ColumnKind::kNumber) continue;
    const auto power = PowerOf(history, runs, paces, *column);
    if (!power) continue;
    PaceEffect effect;
    effect.column = name;
    effect.power = *power;
    effect.usual_us = usual_us;
    effect.before = NoiseOf(history, runs, name);
    Adjust(runs, name, paces, effect);
    Adjust(epochs, name, paces, effect);
    effect.after = NoiseOf(history, runs, name);
    effects.push_back(std::move(effect));
  }
  return effects;
}

base::Json ToJson(const PaceEffect& effect) {
  return {{"column", effect.column},
          {"power", effect.power},
          {"usual_us", effect.usual_us},
          {"noise_before", ToJson(effect.before)},
          {"noise_after", ToJson(effect.after)}};
}

}  // namespace reckon::app
