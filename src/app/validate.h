// reckon validate: how far forecasts would have been off, by the question asked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/learning.h"

namespace reckon::app {

struct ValidateRequest {
  LearnRequest learn;
  std::optional<double> holdout;         // share of rows
  std::optional<size_t> kfold;           // number of folds
  std::vector<std::string> interpolate;  // "COL=v1,v2" or "COL"
  std::vector<std::string> extrapolate;  // "COL>v", "COL<v" or "COL"
};

// One way of holding rows out.
struct ValidationBlock {
  std::string method;  // "hold-out 20 %", "extrapolation workers > 32"
  size_t splits = 0;
  size_t training_rows = 0;    // of all splits together
  size_t validation_rows = 0;  // of all splits together
  std::vector<TechniqueRow> techniques;
  // Whatever selection chose in each split: what a user of `fit` would have had.
  TechniqueRow chosen;
  double coverage_percent = 0;  // validation rows inside their 90 % interval
  // Mean width of the intervals plus 20 times the miss, in per cent of the truth.
  std::optional<double> interval_score_percent;
};

struct ValidateReport {
  std::string target;
  size_t rows = 0;
  std::vector<ValidationBlock> blocks;
  std::vector<std::string> notes;
};

// Models are built and chosen from the training rows of each split alone: scales, levels, filled-in
// values and hyper-parameters never see a validation row. Without any method: five folds.
base::Result<ValidateReport> Validate(const ValidateRequest& request, const Context& context);

}  // namespace reckon::app
