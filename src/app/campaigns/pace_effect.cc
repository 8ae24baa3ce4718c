#include "app/campaigns/pace_effect.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text.h"
#include "numeric/stats.h"

namespace reckon::app {
namespace {

// Columns of times, of an app's too ("sift.latency_s").
bool IsTime(const std::string& column) {
  constexpr std::array<const char*, 12> kTimes{
      "train_s",       "fit_s",      "training_loop_s",
      "train_epoch_s", "wall_s",     "validate_epoch_s",
      "compute_s",     "push_s",     "update_s",
      "pull_s",        "exchange_s", "compute_per_sample_s"};
  return std::find(kTimes.begin(), kTimes.end(), column) != kTimes.end() ||
         column.ends_with("latency_s") || column.ends_with("latency_s_before");
}

constexpr size_t kFewestRepeats = 10;  // beyond the first of each point
constexpr double kLeastExplained = 0.2;
constexpr double kMostPower = 1.5;

// By run. Those of runs that tell none are missing.
std::map<int64_t, double> PacesOf(const History& history) {
  std::map<int64_t, double> paces;
  for (const auto& [point, attempts] : history.by_point) {
    for (const Attempt& attempt : attempts) {
      if (attempt.pace_us > 0) paces[attempt.run] = attempt.pace_us;
    }
  }
  return paces;
}

// The power of the pace in a column, by repeats of the same point.
std::optional<double> PowerOf(const std::map<std::string, std::vector<size_t>>& repeats_of,
                              const core::Table& table, const std::map<int64_t, double>& paces,
                              size_t column) {
  struct Repeat {
    double pace;
    double time;
  };
  const size_t run = *table.Find("run");
  size_t repeats = 0;
  double pace_squares = 0;
  double time_squares = 0;
  double products = 0;
  for (const auto& [key, rows] : repeats_of) {
    std::vector<Repeat> group;
    for (const size_t row : rows) {
      const double time = table.columns[column][row];
      const auto pace = paces.find(std::llround(table.columns[run][row]));
      if (time > 0 && pace != paces.end())
        group.push_back({std::log(pace->second), std::log(time)});
    }
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

std::vector<PaceEffect> AdjustToUsualPace(const History& history, core::Table& table,
                                          core::Table* alike) {
  const std::map<int64_t, double> paces = PacesOf(history);
  std::vector<PaceEffect> effects;
  if (paces.empty() || !table.Find("run")) return effects;
  std::vector<double> all;
  for (const auto& [run, us] : paces) all.push_back(us);
  const double usual_us = numeric::Median(all);
  const auto repeats = RepeatsIn(history, table);
  for (size_t column = 0; column < table.columns.size(); ++column) {
    const std::string name = table.columns[column].name();
    if (!IsTime(name) || table.columns[column].kind() != core::ColumnKind::kNumber) continue;
    const auto power = PowerOf(repeats, table, paces, column);
    if (!power) continue;
    PaceEffect effect;
    effect.column = name;
    effect.power = *power;
    effect.usual_us = usual_us;
    effect.before = NoiseOf(history, table, name);
    Adjust(table, name, paces, effect);
    if (alike != nullptr) Adjust(*alike, name, paces, effect);
    effect.after = NoiseOf(history, table, name);
    effects.push_back(std::move(effect));
  }
  return effects;
}

std::string PaceText(const std::vector<PaceEffect>& effects) {
  std::vector<std::string> parts;
  for (const PaceEffect& effect : effects) {
    parts.push_back(fmt::format("{} as pace^{:.2f} (noise {:.2f} % as measured, {:.2f} % without)",
                                effect.column, effect.power, effect.before.percent.value_or(0),
                                effect.after.percent.value_or(0)));
  }
  if (parts.empty()) return "";
  return fmt::format(
      "other virtual machines on the same cores changed how quickly they compute; by repeats of "
      "the same points {}. These times are taken as at the usual pace",
      base::Join(parts, ", "));
}

base::Json ToJson(const PaceEffect& effect) {
  return {{"column", effect.column},
          {"power", effect.power},
          {"usual_us", effect.usual_us},
          {"noise_before", ToJson(effect.before)},
          {"noise_after", ToJson(effect.after)}};
}

}  // namespace reckon::app
