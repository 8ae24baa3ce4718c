// reckon profile --replay: a recorded table measured as if live, to see what a design is worth.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/budget.h"
#include "app/context.h"
#include "app/data.h"
#include "base/result.h"

namespace reckon::app {

struct ReplayRequest {
  DataRequest data;                 // the recorded table
  std::string target;               // column to forecast
  std::string time;                 // column of seconds that measuring took; empty: the target
  std::string price;                // column of prices an hour; empty: none
  std::vector<std::string> ignore;  // columns that are no inputs
  std::string design = "optimal";
  std::string criterion = "a";
  BudgetText budget;  // a limit of cost needs prices
  uint64_t seed = 1;
  std::string out;   // table of what was measured, in order; empty: none
  std::string plot;  // picture of the curve; empty: none
};

// The forecasts after some measurements.
struct ReplayStep {
  size_t points = 0;  // measured so far
  size_t measurements = 0;
  double time_s = 0;  // of measuring so far
  double cost = 0;
  // Mean absolute percentage errors of a model fitted to what was measured. `error_percent` is over
  // all points, each forecast without having been seen, as the grid's own error is: those not
  // measured by the model, those measured by the folds that chose it.
  double error_percent = 0;
  std::optional<double> unmeasured_percent;  // at points not measured alone; none when all are
  double left_out_percent = 0;               // at points measured alone
  std::optional<double> expected_percent;    // what `unmeasured_percent` was expected to be
  std::string model;                         // technique
};

struct ReplayReport {
  std::string source;
  std::string target;
  std::string design;
  std::string criterion;  // empty unless the design has one
  bool priced = false;
  size_t points = 0;  // of the full grid
  size_t rows = 0;
  double grid_time_s = 0;
  double grid_cost = 0;
  double grid_error_percent = 0;  // of points forecast from the other folds of the full grid
  std::vector<ReplayStep> steps;
  size_t measured_points = 0;
  size_t measurements = 0;  // of them, with repeats
  double time_s = 0;
  double cost = 0;
  std::string ended;  // why, in words
  // The first of two steps in a row whose error at points not measured (at all points, once each
  // was measured) is at most the grid's, or 1.05 times that.
  std::optional<size_t> reached;
  std::optional<size_t> nearly_reached;
  std::vector<std::string> notes;
  std::string out;
  std::string plot;

  double TimeShare(const ReplayStep& step) const { return step.time_s / grid_time_s; }
};

// Rows with equal inputs are repeats of one point; measuring it takes one of them after the other,
// as often as the design wants. After every few measurements a model is searched as `fit` would, on
// the measured rows alone, and held against all points. kBadInput: no budget, no target, no
// candidates, times or prices that are not above 0.
base::Result<ReplayReport> Replay(const ReplayRequest& request, const Context& context);

}  // namespace reckon::app
