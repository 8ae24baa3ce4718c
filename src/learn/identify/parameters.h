// The parameters of fitted models, and how sure they are.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "base/progress.h"
#include "learn/identify/unidentified.h"
#include "learn/search/fitted.h"

namespace reckon::learn {

struct Parameter {
  std::string name;  // "weight of log(workers)", "power of workers in part 1", "constant"
  double value = 0;
  std::optional<size_t> column;  // when it is about one column
};

// Of weighted sums, the generic law, sums of power laws and laws of the library (without terms that
// no row told the coefficient of); none of trees. Of a blend those of its
// heaviest member that has any.
std::vector<Parameter> ParametersOf(const Fitted& fitted, const Schema& schema);

// What ParametersOf calls the weight of a term of a weighted sum.
std::string WeightName(const Term& term, const Schema& schema);

// The model itself, or the member of a blend, that ParametersOf speaks of; nullptr when there is
// none.
const Fitted* Parametric(const Fitted& fitted);

struct ParameterInterval {
  Parameter parameter;
  double lower = 0;
  double upper = 0;
  bool settled = true;  // false: it holds 0 and is wider than the parameter is large
};

struct ResampleOptions {
  size_t resamples = 30;
  uint64_t seed = 1;
  size_t jobs = 1;
  double level = 0.9;
};

// Percentile intervals (Efron 1979): the model is fitted again to configurations drawn with
// replacement, each with all its repeats. A term that a resample could tell and does without counts
// as 0; parameters of other kinds that fewer than half of the resamples have are left out. The same
// seed gives the same intervals for any `jobs`. kInterrupted on stop.
base::Result<std::vector<ParameterInterval>> ParameterIntervals(
    const Fitted& fitted, const Dataset& data, const Roles& roles, const Question& question,
    const ResampleOptions& options, const std::stop_token& stop, base::Progress& progress);

// Terms of a library law that no row told the coefficient of. Of a blend, those of the member that
// ParametersOf speaks of.
std::vector<Unidentified> FrozenTerms(const Fitted& fitted, const Schema& schema);

// The parameters that are not settled, as what the data cannot tell.
std::vector<Unidentified> UncertainParameters(const std::vector<ParameterInterval>& intervals,
                                              const Schema& schema);

}  // namespace reckon::learn
