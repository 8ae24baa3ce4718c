// Fits the coefficients of a law to measurements.
#pragma once

#include "learn/laws/law_library.h"
#include "learn/repeats.h"

namespace reckon::learn {

struct ScalingLawProblem {
  std::string name;
  std::vector<LawTerm> terms;  // coefficients are filled in
  bool overlaps = false;       // fit g, otherwise it is 1
  std::vector<LawInput> inputs;
  // Types of machines with their own factor of the exchange; a level is told apart when it was
  // measured with enough counts of workers.
  std::optional<size_t> machine;
  std::vector<bool> own_exchange;  // as many as the machine has levels
  Vector row_weight;               // besides what repeats give; empty: 1
};

// Robust least squares on the logarithm of the time, coefficients >= 0. `rows` has one row a
// configuration, with the logarithm of its time. Starts from non-negative least squares on relative
// errors, which is the best there is when nothing overlaps and no inputs are left over; from the
// better of two guesses of what those inputs do, and then from the best of several degrees of
// overlap. The same input gives the same
// law. Coefficients that no row tells are frozen.
ScalingLaw FitScalingLaw(const ScalingLawProblem& problem, const Configurations& rows);

// What the rows count: more often measured configurations more, with a mean of 1.
Vector ConfigurationWeights(const Configurations& rows);

// exp(-log time) for each row from the inputs alone, as far as powers of all columns explain it: a
// first guess of the inputs' weights. `known` are columns of the law (logarithms).
Vector GuessInputWeights(const Matrix& inputs, const Matrix& known, const Vector& log_time);

}  // namespace reckon::learn
