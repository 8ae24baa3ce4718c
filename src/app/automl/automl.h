// reckon automl: a configuration of aMLLibrary, carried out with our techniques.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/context.h"
#include "app/run_splits.h"
#include "base/result.h"
#include "core/metrics.h"

namespace reckon::app {

struct AutomlRequest {
  std::string configuration;  // file
  std::string out;            // folder for the results; new or empty
  uint64_t seed = 1;
  bool plots = false;  // also when the configuration does not ask for them
};

// The best candidate of one technique.
struct AutomlRow {
  std::string label;            // as the configuration calls the technique: "LRRidge"
  std::string technique;        // as we do: "ridge"
  std::string hyperparameters;  // "alpha=0.1"
  core::Metrics training;
  core::Metrics selection;                  // what the best is chosen by
  std::optional<core::Metrics> validation;  // of runs; not of models fitted to all rows
  bool best = false;
};

// One repetition: rows held out, models made from the others.
struct AutomlRun {
  std::string method;  // "hold-out 20 %"
  size_t splits = 0;
  size_t training_rows = 0;           // of all splits together
  size_t validation_rows = 0;         // of all splits together
  std::vector<AutomlRow> techniques;  // best first
};

struct AutomlReport {
  std::string configuration;
  std::string data;
  std::string target;
  size_t rows = 0;
  std::vector<std::string> inputs;
  size_t candidates = 0;
  std::vector<AutomlRun> runs;    // none when nothing is held out
  std::vector<AutomlRow> models;  // fitted to all rows, best first
  std::string out;
  std::vector<std::string> files;     // in `out`
  std::vector<std::string> warnings;  // what of the configuration is done otherwise, or not at all
  std::vector<std::string> notes;
};

// Everything wrong with configuration and data is found before the first model is fitted. The
// folder of results appears whole or not at all. The same seed gives the same bytes for any number
// of jobs.
base::Result<AutomlReport> Automl(const AutomlRequest& request, const Context& context);

}  // namespace reckon::app
