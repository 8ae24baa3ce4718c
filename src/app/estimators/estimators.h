// reckon estimators: Deep-Edge's functions of a node, learned from what a campaign has measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/context.h"
#include "base/json.h"
#include "base/result.h"

namespace reckon::app {

struct EstimatorsRequest {
  std::string campaign;
  std::optional<double> holdout;  // share of rows; not given: 0.16, as in the paper
  uint64_t seed = 1;
  bool save = true;           // models go to the store as CAMPAIGN.TYPE.FUNCTION
  double memory_limit = 0.9;  // of GetMaxBatchSize: share of a node's memory
};

// One learned function.
struct EstimatorRow {
  std::string node_type;
  std::string function;
  std::vector<std::string> inputs;
  size_t train_rows = 0;
  size_t test_rows = 0;
  double mape_percent = 0;       // over the rows held out, each split's model chosen without them
  double deviation_percent = 0;  // standard deviation of the percentage errors
  std::optional<double> noise_percent;  // between repeats of the same point
  std::string technique;
  std::string model;  // name in the store; empty: not saved
};

// How an output of a node goes with an input.
struct SensitivityRow {
  std::string node_type;
  std::string function;
  std::string input;
  double correlation = 0;  // of ranks (Spearman), -1 to 1
  double low = 0;          // mean output over the lowest third of the input's values
  double high = 0;         // and over the highest
};

struct MaxBatchRow {
  std::string node_type;
  double memory_before = 0;
  std::optional<int64_t> batch;  // none: there is no room for any
  bool at_end = false;           // the largest that was measured: there may be more room
};

struct EstimatorsReport {
  std::string campaign;
  size_t rows = 0;  // of hosts
  std::vector<EstimatorRow> estimators;
  double mean_mape_percent = 0;
  std::optional<double> mean_noise_percent;  // over the functions where it is known
  std::vector<SensitivityRow> sensitivity;
  std::vector<MaxBatchRow> max_batches;
  std::vector<std::string> notes;
};

// kNotFound: no such campaign. kBadInput: it has measured too few hosts.
base::Result<EstimatorsReport> FitEstimators(const EstimatorsRequest& request,
                                             const Context& context);

base::Json ToJson(const EstimatorsReport& report);

}  // namespace reckon::app
