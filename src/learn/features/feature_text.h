// Feature options as people write and read them.
#pragma once

#include <string>

#include "learn/features/augment.h"

namespace reckon::learn {

// "raw+inverse of workers, cores+log, degree 2 of different columns, forward selection".
std::string FeatureOptionsName(const FeatureOptions& options);

// Parts joined by commas, in any order and number: raw, inverse, log, interactions. inverse and log
// may name their columns: "raw,inverse=workers:cores,log". A name with a comma, colon or quote
// stands in double quotes, with "" for a quote: log="time, s":cores. interactions makes products of
// two different columns. kBadInput with what was expected.
base::Result<FeatureOptions> ParseFeatureOptions(const std::string& text);

// kBadInput when a named column is not an input, is a category, or has values that its form cannot
// take.
base::Status CheckFeatureColumns(const FeatureOptions& options, const Dataset& data);

}  // namespace reckon::learn
