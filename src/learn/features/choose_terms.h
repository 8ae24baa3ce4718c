// From feature options to the terms of a model, chosen on the rows given alone.
#pragma once

#include <stop_token>

#include "base/rng.h"
#include "learn/features/augment.h"

namespace reckon::learn {

// The terms that `options` makes, thinned as options.select says by what they tell about `target`
// (a value for each row of `data`, on the scale that is fitted). Looks at nothing but these rows: a
// technique that calls it in Fit leaks nothing from rows left out. Folds of forward selection keep
// repeats together. kFailed when the options make more than `limit` terms, kInterrupted on stop.
base::Result<FeatureMap> ChooseTerms(const Dataset& data, const Vector& target,
                                     const FeatureOptions& options, size_t limit, base::Rng rng,
                                     const std::stop_token& stop = {});

// What boosted trees gain from each column, as shares of the total (0 for all when they find
// nothing to split).
Vector GainShares(const Matrix& columns, const Vector& target, base::Rng rng);

}  // namespace reckon::learn
