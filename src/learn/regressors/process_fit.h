// A Gaussian process through configurations.
#pragma once

#include "base/rng.h"
#include "learn/regressors/technique.h"
#include "learn/repeats.h"

namespace reckon::learn {

// The process (numeric/gaussian_process.h) of `features` whose targets are rows.target; its kernel
// is chosen by the likelihood of at most 200 rows, and at most `most_rows` become centres. kFailed
// when nothing varies.
base::Result<std::unique_ptr<Predictor>> FitProcess(const FeatureMap& features,
                                                    const Configurations& rows, size_t most_rows,
                                                    const base::Rng& rng);

inline constexpr size_t kMostProcessRows = 1000;
inline constexpr size_t kMostProcessTerms = 100;

}  // namespace reckon::learn
