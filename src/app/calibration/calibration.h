// reckon calibration: how forecasts of runs have turned out, model by model.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/context.h"
#include "base/json.h"
#include "base/result.h"
#include "core/forecast.h"
#include "store/store.h"
#include "watch/calibration.h"

namespace reckon::app {

struct ModelCalibration {
  std::string model;
  std::string target;
  int64_t version = 0;  // the newest that runs were forecast with: its number in the store
  size_t forecasts = 0;
  // Of that version, over the runs whose outcome counts; nullopt: there are none.
  std::optional<watch::Calibration> calibration;
  // Of that version, oldest first, those without an outcome included.
  std::vector<core::FinishedForecast> runs;
};

// `model`: its name; empty: of all that have forecast a run. kNotFound: no such model.
base::Result<std::vector<ModelCalibration>> CalibrationsOf(store::Store& store,
                                                           const std::string& model);
base::Result<std::vector<ModelCalibration>> Calibrations(const std::string& model,
                                                         const Context& context);

// {"models": [...]}; `with_runs`: the runs one by one, too.
base::Json ToJson(const std::vector<ModelCalibration>& calibrations, bool with_runs);

}  // namespace reckon::app
