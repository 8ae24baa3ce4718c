// reckon predict: forecasts for a table of questions or for what-if settings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/context.h"
#include "app/data.h"
#include "core/forecast.h"
#include "core/metrics.h"
#include "core/table.h"

namespace reckon::app {

struct PredictRequest {
  std::string model;             // file, or name in the store
  bool stored = false;           // the name is one in the store, whatever files there are
  DataRequest data;              // data.file empty: what-if by `set`
  std::vector<std::string> set;  // "workers=1..64"
  std::string out;               // table of forecasts; empty: none
  std::string plot;              // SVG; empty: none
  std::string measured;          // table whose rows are drawn as dots; empty: none
};

struct PredictReport {
  std::string model;
  std::string technique;
  std::string target;
  double level = 0;  // of the intervals
  core::Table questions;
  std::vector<std::string> granted;  // columns of it that need no showing: WhatIf::granted
  std::vector<core::Forecast> forecasts;
  size_t in_support = 0;
  // When the questions have the answer too: the error, and the share of rows inside the interval.
  std::optional<core::Metrics> error;
  double coverage_percent = 0;
  std::optional<double> interval_score_percent;  // as in ValidationBlock
  std::vector<std::string> notes;
  std::string out;
  std::string plot;
};

// `out` holds every input column with its exact text plus predicted, lower, upper, in_support.
// Forecasts by a model of the store are kept there (up to kMostKept of one call).
base::Result<PredictReport> Predict(const PredictRequest& request, const Context& context);

inline constexpr size_t kMostKept = 10000;

}  // namespace reckon::app
