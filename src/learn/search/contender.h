// What a search ends with: the best of each technique, and of all together.
#pragma once

#include <vector>

#include "learn/search/fitted.h"
#include "learn/validate/metrics.h"

namespace reckon::learn {

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

}  // namespace reckon::learn
