#include "app/calibration/outcomes.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/runs/run_samples.h"
#include "base/json.h"

namespace reckon::app {
namespace {

using base::ErrorCode;
using base::Json;
using core::FinishedForecast;
using core::Table;

// The row of each run in a set of samples.
struct RunRows {
  Table table;
  std::map<int64_t, size_t> of_run;
};

// Empty where there is no such set: what the runs have measured was not kept.
base::Result<RunRows> LoadRows(store::Store& store, const std::string& run_name) {
  RunRows rows;
  auto table = store.LoadSamples(SampleSetsOf(run_name)[0]);
  if (!table.ok()) {
    if (table.error().code() == ErrorCode::kNotFound) return rows;
    return std::move(table).error();
  }
  rows.table = *std::move(table);
  FillAbsentLoads(rows.table);
  const auto run = rows.table.Find("run");
  for (size_t row = 0; run && row < rows.table.row_count; ++row) {
    rows.of_run[static_cast<int64_t>(rows.table.columns[*run][row])] = row;
  }
  return rows;
}

bool SameCell(const core::Column& column, size_t row, const Json& asked) {
  if (column.kind() == core::ColumnKind::kCategory) {
    return asked.is_string() && column.Text(row) == asked.get<std::string>();
  }
  if (!asked.is_number()) return false;
  constexpr double kRounding = 1e-9;
  const double was = column[row];
  const double wanted = asked.get<double>();
  return std::abs(was - wanted) <= kRounding * std::max(std::abs(was), std::abs(wanted));
}

// Whether the run was what the forecast was asked about: `question` holds columns and values.
bool WasAsAsked(const Table& table, size_t row, const Json& question) {
  return std::all_of(question.items().begin(), question.items().end(), [&](const auto& item) {
    const auto column = table.Find(item.key());
    return !column || SameCell(table.columns[*column], row, item.value());
  });
}

std::optional<double> ActualIn(const RunRows& rows, const FinishedForecast& forecast) {
  const auto found = rows.of_run.find(*forecast.record.run_id);
  const auto target = rows.table.Find(forecast.target);
  if (found == rows.of_run.end() || !target) return std::nullopt;
  const core::Column& column = rows.table.columns[*target];
  const Json question = Json::parse(forecast.record.question, nullptr, false);
  if (column.kind() != core::ColumnKind::kNumber || IsBlemished(rows.table, found->second) ||
      !question.is_object() || !WasAsAsked(rows.table, found->second, question)) {
    return std::nullopt;
  }
  const double actual = column[found->second];
  return std::isfinite(actual) ? std::optional(actual) : std::nullopt;
}

base::Status TakeActuals(store::Store& store, std::vector<FinishedForecast>& forecasts) {
  std::map<std::string, RunRows> samples;
  for (FinishedForecast& forecast : forecasts) {
    if (forecast.record.actual) continue;
    if (!samples.contains(forecast.run_name)) {
      RECKON_ASSIGN(samples[forecast.run_name], LoadRows(store, forecast.run_name));
    }
    forecast.record.actual = ActualIn(samples[forecast.run_name], forecast);
    if (!forecast.record.actual) continue;
    RECKON_TRY(store.SetActual(forecast.record.id, *forecast.record.actual));
  }
  return {};
}

// A manager that was killed between the two gives the forecast of a run again.
void KeepLastOfRun(std::vector<FinishedForecast>& forecasts) {
  std::set<std::pair<int64_t, int64_t>> seen;
  std::vector<FinishedForecast> kept;
  for (auto one = forecasts.rbegin(); one != forecasts.rend(); ++one) {
    if (seen.emplace(one->record.model_id, *one->record.run_id).second) {
      kept.push_back(std::move(*one));
    }
  }
  std::reverse(kept.begin(), kept.end());
  forecasts = std::move(kept);
}

}  // namespace

base::Result<std::vector<FinishedForecast>> ForecastsWithOutcomes(store::Store& store,
                                                                  std::string_view model,
                                                                  size_t limit) {
  RECKON_ASSIGN(std::vector<FinishedForecast> forecasts, store.ListFinishedForecasts(model, limit));
  KeepLastOfRun(forecasts);
  RECKON_TRY(TakeActuals(store, forecasts));
  return forecasts;
}

std::vector<watch::Outcome> OutcomesOf(const std::vector<FinishedForecast>& forecasts) {
  std::vector<watch::Outcome> outcomes;
  for (const FinishedForecast& one : forecasts) {
    const core::Forecast& forecast = one.record.forecast;
    const double actual = one.record.actual.value_or(0);
    const bool usable = actual > 0 && forecast.predicted > 0 &&
                        forecast.lower <= forecast.predicted &&
                        forecast.predicted <= forecast.upper && std::isfinite(forecast.upper);
    if (usable) {
      outcomes.push_back({forecast.predicted, forecast.lower, forecast.upper, actual});
    }
  }
  return outcomes;
}

}  // namespace reckon::app
