// What was forecast for a run before it started, and what came of it.
#pragma once

#include <optional>
#include <string>

#include "app/context.h"
#include "app/runs/run_view.h"
#include "base/json.h"
#include "base/result.h"
#include "core/forecast.h"
#include "core/run.h"

namespace reckon::app {

struct RunForecast {
  std::string model;
  std::string target;  // a column of the samples of runs: "training_loop_s"
  core::Forecast forecast;
  std::optional<double> actual;  // once the run has finished
};

// kBadInput: the model asks for a column that jobs do not have. Keeps the forecast in the store
// when the model came from there.
base::Result<RunForecast> ForecastRun(const std::string& model, const base::Json& job,
                                      const base::Json& plan, const Context& context);

// As part of a run's plan.
base::Json ToJson(const RunForecast& forecast);
// Nothing when the plan has no forecast.
std::optional<RunForecast> ForecastOf(const core::Run& run, const RunView& view);

}  // namespace reckon::app
