#include "app/calibration/calibration.h"

#include <algorithm>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/calibration/outcomes.h"
#include "app/data.h"

namespace reckon::app {
namespace {

using base::Json;

// Of all models together, and of one.
constexpr size_t kMostForecasts = 1000;

ModelCalibration Judge(std::string model, std::vector<core::FinishedForecast> forecasts) {
  ModelCalibration judged;
  judged.model = std::move(model);
  judged.target = forecasts.back().target;
  for (const core::FinishedForecast& one : forecasts) {
    judged.version = std::max(judged.version, one.record.model_id);
  }
  for (core::FinishedForecast& one : forecasts) {
    if (one.record.model_id == judged.version) judged.runs.push_back(std::move(one));
  }
  judged.forecasts = judged.runs.size();
  judged.calibration = watch::Calibrate(OutcomesOf(judged.runs));
  return judged;
}

Json RunJson(const core::FinishedForecast& one) {
  const core::Forecast& forecast = one.record.forecast;
  return {{"run", *one.record.run_id},
          {"name", one.run_name},
          {"finished_at", base::FormatTime(one.finished_at)},
          {"predicted", forecast.predicted},
          {"lower", forecast.lower},
          {"upper", forecast.upper},
          {"in_support", forecast.in_support},
          {"actual", one.record.actual ? Json(*one.record.actual) : Json()}};
}

}  // namespace

base::Result<std::vector<ModelCalibration>> CalibrationsOf(store::Store& store,
                                                           const std::string& model) {
  if (!model.empty()) RECKON_TRY(store.FindModel(model));
  RECKON_ASSIGN(std::vector<core::FinishedForecast> forecasts,
                ForecastsWithOutcomes(store, model, kMostForecasts));
  std::map<std::string, std::vector<core::FinishedForecast>> by_model;
  for (core::FinishedForecast& one : forecasts) by_model[one.model].push_back(std::move(one));
  std::vector<ModelCalibration> all;
  for (auto& [name, own] : by_model) all.push_back(Judge(name, std::move(own)));
  return all;
}

base::Result<std::vector<ModelCalibration>> Calibrations(const std::string& model,
                                                         const Context& context) {
  RECKON_ASSIGN(const auto store, OpenStore(context, false));
  return CalibrationsOf(*store, model);
}

namespace {

Json ModelJson(const ModelCalibration& judged, bool with_runs) {
  Json json{{"model", judged.model},
            {"target", judged.target},
            {"version", judged.version},
            {"forecasts", judged.forecasts},
            {"runs", 0}};
  if (const auto& known = judged.calibration) {
    json["runs"] = known->runs;
    json["mape_percent"] = known->mape_percent;
    json["bias"] = known->bias;
    json["covered_percent"] = 100 * known->covered;
    json["drifted"] = known->drifted;
    json["why"] = known->why;
  }
  if (with_runs) {
    json["outcomes"] = Json::array();
    for (const core::FinishedForecast& one : judged.runs) json["outcomes"].push_back(RunJson(one));
  }
  return json;
}

}  // namespace

Json ToJson(const std::vector<ModelCalibration>& calibrations, bool with_runs) {
  Json json{{"models", Json::array()}};
  for (const ModelCalibration& one : calibrations) {
    json["models"].push_back(ModelJson(one, with_runs));
  }
  return json;
}

}  // namespace reckon::app
