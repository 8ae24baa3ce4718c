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

// A parameter of a law and, when it was fitted several times, how those fits differ.
struct ExplainedParameter {
  std::string name;
  double value = 0;
  double mean = 0;
  double deviation = 0;
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
  std::vector<std::string> scaling;  // how a law scales, in words
  size_t fits = 0;                   // with different seeds; 0: one, and no parameters here
  std::vector<ExplainedParameter> parameters;
  std::vector<ExplainedColumn> columns;
  std::vector<TechniqueRow> leaderboard;
  // With `set`:
  std::optional<core::Forecast> forecast;
  std::vector<core::Contribution> contributions;  // on the model's scale
  std::vector<std::string> notes;
};

base::Result<ExplainReport> Explain(const ExplainRequest& request, const Context& context);

}  // namespace reckon::app
