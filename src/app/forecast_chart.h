// The picture of a forecast: curves with their intervals over what was measured.
#pragma once

#include <string>
#include <vector>

#include "core/forecast.h"
#include "core/table.h"
#include "learn/model.h"

namespace reckon::app {

struct ChartRequest {
  const learn::Model& model;
  const core::Table& questions;
  const std::vector<core::Forecast>& forecasts;
  // Rows with the target, drawn as dots where their other columns equal those of a curve; or null.
  const core::Table* measured = nullptr;
};

// The x axis is the first number that varies over the questions (the column of the extrapolation
// first of all), else the first category; up to eight other combinations become a curve each, and a
// note says how many were left out.
std::string DrawForecasts(const ChartRequest& request, std::vector<std::string>& notes);

}  // namespace reckon::app
