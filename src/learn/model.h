// A Model: a fitted predictor with its provenance and its interval; what fit makes, model files
// keep, and predict uses.
#pragma once

#include <string>
#include <vector>

#include "learn/identify/unidentified.h"
#include "learn/interval.h"
#include "learn/search/search.h"

namespace reckon::learn {

struct LeaderboardRow {
  std::string technique;
  std::string description;
  Metrics training;
  Metrics selection;
};

// Predictions with their intervals, a value a row.
struct Bounds {
  Vector predicted;
  Vector lower;
  Vector upper;
};

// What a model was asked to be learned from, so that it can be learned anew when there is more.
struct Origin {
  std::string samples;                  // set of the store; empty: a file
  std::vector<std::string> ignored;     // columns that were not to be inputs
  std::vector<std::string> techniques;  // that were to be tried; empty: all
};

struct Model {
  Schema schema;
  Fitted fitted;
  IntervalRule interval;
  // How it came about.
  std::string data_fingerprint;  // of the table it was learned from, set by whoever read that
  Origin origin;                 // likewise
  size_t rows = 0;
  uint64_t seed = 0;
  std::string extrapolate;                  // name of the column, or empty
  std::vector<LeaderboardRow> leaderboard;  // the model itself first
  Roles roles;                              // of the columns, as the search took them
  std::vector<Unidentified> unidentified;   // what its rows cannot tell

  // `x` has the columns of the schema. Always finite.
  Bounds PredictBounds(const Matrix& x) const;
};

// The best contender becomes the model.
Model MakeModel(const Dataset& data, const SearchOptions& options, SearchOutcome outcome);

}  // namespace reckon::learn
