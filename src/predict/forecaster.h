// Model + question -> Forecast.
#pragma once

#include <stop_token>
#include <vector>

#include "base/progress.h"
#include "base/result.h"
#include "core/forecast.h"
#include "core/table.h"
#include "learn/model.h"

namespace reckon::predict {

// One forecast a row of `questions`, which must have the model's input columns (others are
// ignored). Never NaN or infinite. A row outside what was measured, or with a category never seen,
// gets a forecast that is flagged not in support and says why. kBadInput, naming the row, when a
// value has no meaning for the model (log of a number <= 0).
base::Result<std::vector<core::Forecast>> MakeForecasts(const learn::Model& model,
                                                        const core::Table& questions,
                                                        const std::stop_token& stop,
                                                        base::Progress& progress);

}  // namespace reckon::predict
