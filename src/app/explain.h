// reckon explain: what a model says, how it came about, and what a forecast is made of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/context.h"
#include "app/learning.h"
#include "core/forecast.h"

namespace reckon::app {

struct ExplainRequest {
  std::string model;
  std::string format = "text";   // text, latex, python or cpp
  std::vector<std::string> set;  // explain this one forecast: one value a column
};

struct ExplainedColumn {
  std::string name;
  std::string kind;
  std::string measured;  // "4..24", or the categories
};

struct ExplainReport {
  std::string model;
  std::string technique;
  std::string description;
  std::string target;
  std::string scale;
  std::string extrapolate;
  size_t rows = 0;
  std::string data_fingerprint;
  std::string format;
  std::string formula;
  std::vector<ExplainedColumn> columns;
  std::vector<TechniqueRow> leaderboard;
  // With `set`:
  std::optional<core::Forecast> forecast;
  std::vector<core::Contribution> contributions;  // on the model's scale
  std::vector<std::string> notes;
};

base::Result<ExplainReport> Explain(const ExplainRequest& request, const Context& context);

}  // namespace reckon::app
