// reckon explain: what a model says, how it came about, and what a forecast is made of.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/context.h"
#include "app/data.h"
#include "app/learning.h"
#include "core/forecast.h"

namespace reckon::app {

inline constexpr size_t kDefaultResamples = 30;
inline constexpr size_t kMostResamples = 10000;

struct ExplainRequest {
  std::string model;
  std::string format = "text";   // text, latex, python or cpp
  std::vector<std::string> set;  // explain this one forecast: one value a column
  // The rows it was learned from: they say how sure its parameters are. None: not asked.
  DataRequest data;
  std::optional<size_t> resamples;  // of those rows, fitted anew; none: kDefaultResamples
  uint64_t seed = 1;
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

// A parameter with its 90 % interval over resamples.
struct ExplainedInterval {
  std::string name;
  double value = 0;
  double lower = 0;
  double upper = 0;
  bool settled = true;  // false: it may as well be 0
};

// What the rows cannot tell, and the next measurement that would.
struct ExplainedGap {
  std::string kind;  // "constant", "together", "determined", "one setting", "uncertain"
  std::vector<std::string> columns;
  std::string what;
  std::string next;
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
  // With `data`:
  size_t resamples = 0;
  std::string parameters_of;  // the technique they belong to: the model's, or a member's
  std::vector<ExplainedInterval> intervals;
  std::vector<ExplainedGap> gaps;
  std::vector<ExplainedColumn> columns;
  std::vector<TechniqueRow> leaderboard;
  // With `set`:
  std::optional<core::Forecast> forecast;
  std::string contribution_scale;  // "linear": the target's unit, or "log"
  std::vector<core::Contribution> contributions;
  std::vector<std::string> notes;
};

base::Result<ExplainReport> Explain(const ExplainRequest& request, const Context& context);

}  // namespace reckon::app
