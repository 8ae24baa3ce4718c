#include "app/campaigns/repeat_noise.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "app/runs/run_samples.h"

namespace reckon::app {

std::map<int64_t, std::string> PointsByRun(const History& history) {
  std::map<int64_t, std::string> points;
  for (const auto& [point, attempts] : history.by_point) {
    for (const Attempt& attempt : attempts) points[attempt.run] = point;
  }
  return points;
}

RepeatNoise NoiseOf(const std::map<std::string, std::vector<double>>& groups) {
  RepeatNoise noise;
  double sum = 0;
  for (const auto& [key, values] : groups) {
    if (values.size() < 2) continue;
    const auto count = static_cast<double>(values.size());
    double mean = 0;
    for (const double value : values) mean += value / count;
    double squares = 0;
    for (const double value : values) squares += (value - mean) * (value - mean);
    sum += 100 * std::sqrt(squares / (count - 1)) / mean;
    ++noise.groups;
    noise.values += values.size();
  }
  if (noise.groups > 0) noise.percent = sum / static_cast<double>(noise.groups);
  return noise;
}

std::map<std::string, std::vector<size_t>> RepeatsIn(const History& history,
                                                     const core::Table& table) {
  const auto points = PointsByRun(history);
  const auto run = table.Find("run");
  std::map<std::string, std::vector<size_t>> groups;
  for (size_t row = 0; run && row < table.row_count; ++row) {
    if (IsBlemished(table, row)) continue;
    const auto point = points.find(std::llround(table.columns[*run][row]));
    if (point == points.end()) continue;  // a single run of that name
    std::string key = point->second;
    for (const char* part : {"worker", "epoch", "host"}) {
      if (const auto found = table.Find(part)) key += " " + table.columns[*found].Text(row);
    }
    groups[key].push_back(row);
  }
  return groups;
}

RepeatNoise NoiseOf(const History& history, const core::Table& table, const std::string& column) {
  const auto values = table.Find(column);
  if (!values) return {};
  std::map<std::string, std::vector<double>> groups;
  for (const auto& [key, rows] : RepeatsIn(history, table)) {
    for (const size_t row : rows) {
      if (const double value = table.columns[*values][row]; value > 0) groups[key].push_back(value);
    }
  }
  return NoiseOf(groups);
}

base::Json ToJson(const RepeatNoise& noise) {
  return {{"percent", noise.percent ? base::Json(*noise.percent) : base::Json()},
          {"groups", noise.groups},
          {"values", noise.values}};
}

}  // namespace reckon::app
