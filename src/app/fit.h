// reckon fit: from a table to a model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/learning.h"
#include "learn/search/standings.h"

namespace reckon::app {

struct FitRequest {
  LearnRequest learn;
  std::string extrapolate;   // column to forecast beyond the measured range of; empty: inside it
  std::string out;           // model file; empty: none
  std::string save;          // name in the store; empty: not stored
  uint64_t repeats = 1;      // fits of the generic law with different seeds
  bool leaderboard = false;  // compare the techniques by three questions, and their times
};

struct FitReport {
  std::string target;
  size_t rows = 0;
  std::vector<std::string> inputs;
  std::string extrapolate;
  bool practised_beyond = false;          // models were compared on rows beyond what they had seen
  std::vector<TechniqueRow> leaderboard;  // the chosen one first
  size_t tried = 0;                       // candidates compared
  // With `leaderboard`; not the same bytes twice, since it holds times.
  std::optional<learn::Standings> standings;
  std::string standings_column;  // of interpolation and extrapolation; empty: none
  std::vector<std::string> notes;
  std::string out;
  std::string saved;
};

// A model file is written whole or not at all; an old one of that name stays when fit fails.
base::Result<FitReport> Fit(const FitRequest& request, const Context& context);

}  // namespace reckon::app
