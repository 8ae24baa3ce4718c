// reckon validate: how far forecasts would have been off, by the question asked.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/run_splits.h"

namespace reckon::app {

struct ValidateRequest {
  LearnRequest learn;
  std::optional<double> holdout;         // share of rows
  std::optional<size_t> kfold;           // number of folds
  std::vector<std::string> interpolate;  // "COL=v1,v2" or "COL"
  std::vector<std::string> extrapolate;  // "COL>v", "COL<v" or "COL"
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
