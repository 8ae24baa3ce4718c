// The search for the model that answers the question asked.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/progress.h"
#include "learn/search/fitted.h"
#include "learn/search/presets.h"
#include "learn/validate/metrics.h"
#include "learn/validate/splits.h"

namespace reckon::learn {

struct SearchOptions {
  Question question;
  RoleNames roles;
  std::vector<std::string> techniques;  // empty: all
  Restrictions restrictions;
  std::string preset;                // PresetNames; empty: none
  std::optional<Preset> candidates;  // a list of the caller's own, instead of a named one
  uint64_t seed = 1;
  size_t repeats = 1;  // fits of the best with different seeds
  size_t jobs = 1;
};

// A prediction for a row that the predictor had not seen, how far that row lay outside the range it
// had seen (InputDistance), and how far the members of a blend disagreed about it
// (Fitted::PredictWithSpread).
struct SelectionResidual {
  double truth = 0;
  double predicted = 0;
  double distance = 0;
  double spread = 0;
};

// The best candidate of one technique, fitted to all rows.
struct Contender {
  Fitted fitted;
  Metrics training;
  Metrics selection;  // on rows left out by SelectionSplits
  size_t tried = 0;   // candidates of this technique
  std::vector<SelectionResidual> residuals;
};

struct SearchOutcome {
  std::vector<Contender> contenders;  // by selection error, best first
  std::vector<std::string> notes;
};

// Tries every candidate on the inner splits, takes the best of each technique by its selection
// MAPE (by RMSE when a target is 0), and fits it to all rows. Uses nothing but `data`, so a
// row held out by the caller cannot leak in. Above kSelectionRows rows, candidates are compared on
// a random part of that many rows. The same seed gives the same outcome for any `jobs`. kBadInput
// when a named technique does not apply, kInterrupted on stop.
base::Result<SearchOutcome> Search(const Dataset& data, const SearchOptions& options,
                                   const std::stop_token& stop, base::Progress& progress);

inline constexpr size_t kSelectionRows = 20000;

}  // namespace reckon::learn
