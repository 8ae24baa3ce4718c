// What was forecast for runs beside what they took.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/forecast.h"
#include "store/store.h"
#include "watch/calibration.h"

namespace reckon::app {

// The newest `limit` forecasts of finished runs, oldest first, of a model or (empty) of all. Those
// whose outcome the store did not know yet are held against the samples that their runs have left,
// and the store is told; so it does not matter who finishes a run, nor when he is killed.
//
// A run that was not what the forecast was asked about (it lost workers, ended early, was
// disturbed) has no outcome. Of several forecasts of one run by one version the last one counts.
base::Result<std::vector<core::FinishedForecast>> ForecastsWithOutcomes(store::Store& store,
                                                                        std::string_view model,
                                                                        size_t limit);

// Of those that have one and are positive numbers, as calibration asks for.
std::vector<watch::Outcome> OutcomesOf(const std::vector<core::FinishedForecast>& forecasts);

}  // namespace reckon::app
