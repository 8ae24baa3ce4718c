// Models made and chosen from the training part of splits, and measured on the other part.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/learning.h"
#include "learn/validate/splits.h"

namespace reckon::app {

// One way of holding rows out.
struct ValidationMethod {
  std::string label;                            // "hold-out 20 %", for reports
  std::vector<learn::Split> splits;             // of the rows of Prepared::data
  std::optional<std::string> extrapolate = {};  // models are chosen for this question
  std::optional<uint64_t> seed = {};            // of the searches; otherwise that of Prepared
  // What reports call a candidate; without it, Candidate::Describe.
  std::function<std::string(const learn::Candidate&)> describe = {};
};

// Truth and predictions, row by row.
struct Gathered {
  std::vector<double> truth;
  std::vector<double> predicted;

  void Add(const numeric::Vector& more_truth, const numeric::Vector& more_predicted);
  void Add(const Gathered& other);
  core::Metrics Measured() const;
};

// How models made and chosen from the training rows did on the others.
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
  std::map<std::string, Gathered> held_out;  // by technique: the validation rows of all splits
  Gathered chosen_held_out;                  // likewise of what selection chose in each split
};

// A block for each method. Everything is built from the training rows of each split alone. What the
// searches have to note is added to `notes` once.
base::Result<std::vector<ValidationBlock>> RunSplits(const Prepared& prepared,
                                                     const std::vector<ValidationMethod>& methods,
                                                     const Context& context,
                                                     std::vector<std::string>& notes);

}  // namespace reckon::app
