// What was forecast for a run before it started, and what came of it.
#pragma once

#include <optional>
#include <string>

#include "app/model_source.h"
#include "app/runs/run_view.h"
#include "base/json.h"
#include "base/result.h"
#include "core/forecast.h"
#include "core/run.h"
#include "store/store.h"

namespace reckon::app {

struct RunForecast {
  std::string model;
  std::optional<int64_t> model_id;  // in the store, when it came from there
  std::string question;             // the model's inputs, as JSON
  std::string target;               // a column of the samples of runs: "training_loop_s"
  core::Forecast forecast;
  std::optional<double> actual;  // once the run has finished
};

// kBadInput: the model asks for a column that jobs do not have.
base::Result<RunForecast> ForecastRun(const LoadedModel& model, const base::Json& job,
                                      const base::Json& plan);

// For the run that it was made for, when the model is the store's; otherwise does nothing.
base::Status KeepForecast(const RunForecast& made, int64_t run_id, store::Store& store);

// As part of a run's plan.
base::Json ToJson(const RunForecast& forecast);
// Nothing when the plan has no forecast.
std::optional<RunForecast> ForecastOf(const core::Run& run, const RunView& view);

}  // namespace reckon::app
