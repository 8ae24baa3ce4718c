// What the search compares: predictions of every candidate for rows it had not seen.
#pragma once

#include <vector>

#include "learn/regressors/technique.h"
#include "learn/validate/metrics.h"
#include "learn/validate/splits.h"

namespace reckon::learn {

struct Trial {
  const Technique* technique = nullptr;
  CandidateGroup group;
  // [split][candidate]: predictions for the split's test rows; empty when the fit failed or was
  // spared.
  std::vector<std::vector<Vector>> predicted = {};
  bool hopeless = false;  // so far behind that no more splits were tried

  bool FittedEverywhere() const;
  // For the test rows of all splits, one after the other.
  Vector Pooled(size_t candidate, Eigen::Index rows) const;
};

// The test rows of all splits, one after the other: what every candidate is measured on.
struct SelectionRows {
  Vector truth;
  Vector weight;                 // adds up to 1; splits count alike, whatever their size
  std::vector<double> distance;  // InputDistance from the split's training part
  bool relative = true;          // every target of the data is above 0: errors count relatively
  bool percentage = false;       // |predicted / truth - 1| instead of |log(predicted / truth)|
};

SelectionRows CollectRows(const Dataset& data, const std::vector<Split>& splits,
                          const std::vector<Dataset>& train_parts, const Question& question);

// The mean error that candidates are compared by, the smaller the better: |log(predicted / truth)|,
// capped so that one wild row does not decide alone; the root of the mean square when a target is
// not above 0.
double SelectionScore(const SelectionRows& rows, const Vector& predicted);

// One candidate with its predictions and its score.
struct Scored {
  size_t trial = 0;
  size_t candidate = 0;
  const Technique* technique = nullptr;
  double score = 0;
  Vector predicted;
};

// Every candidate that could be fitted on every split and has a finite score, best first.
std::vector<Scored> ScoreAll(const std::vector<Trial>& trials, const SelectionRows& rows);

}  // namespace reckon::learn
