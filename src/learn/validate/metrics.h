// How far predictions are from the truth.
#pragma once

#include "base/json.h"
#include "core/metrics.h"
#include "numeric/matrix.h"

namespace reckon::learn {

using core::Metrics;

// Same size, at least one row.
Metrics Measure(const numeric::Vector& truth, const numeric::Vector& predicted);

base::Json MetricsToJson(const Metrics& metrics);

}  // namespace reckon::learn
