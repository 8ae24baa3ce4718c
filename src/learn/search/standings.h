// The best of every technique held against each other: three questions, and the time they take.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/progress.h"
#include "learn/search/search.h"

namespace reckon::learn {

// A figure is absent where the data has no such split, or the candidate cannot be fitted to it.
struct Standing {
  std::string technique;
  std::string description;
  std::optional<Metrics> folds;          // five grouped folds, as rows left out together
  std::optional<Metrics> interpolation;  // every second inner value of the column left out
  std::optional<Metrics> extrapolation;  // the largest quarter of its values left out
  double fit_s = 0;                      // once, to all rows, on one thread
  double predict_us = 0;                 // a row, in blocks
};

struct Standings {
  std::optional<size_t> column;  // of interpolation and extrapolation; nullopt: none has an order
  std::vector<Standing> rows;    // in the order of the contenders
};

// Fits each contender's candidate again to the training part of each split; candidates are not
// chosen anew, so this costs a small part of a search. `column`: the question's, else the one that
// counts workers. Errors are the same for any `jobs`; times never are. kInterrupted on stop.
base::Result<Standings> CompareByQuestion(const Dataset& data,
                                          const std::vector<Contender>& contenders,
                                          const SearchOptions& options, const base::Clock& clock,
                                          const std::stop_token& stop, base::Progress& progress);

}  // namespace reckon::learn
