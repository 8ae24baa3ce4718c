// Extra-P's performance model normal form (Calotoiu et al., SC 2013; several parameters: Calotoiu
// et al., CLUSTER 2016):
//
//   t = c0 + sum_k c_k * product over columns of x^i * log2(x)^j
//
// with i and j from a small set. Negative i as well: under strong scaling a time falls.
#pragma once

#include "learn/laws/law_library.h"

namespace reckon::learn {

// One or two terms a column; none when no column has three values.
std::vector<LawSettings> PmnfVariants(const LawSource& source);

// The terms that tell the data best: for each of up to three columns one or two ("terms") terms,
// chosen on lines of rows that differ in that column alone, then those products of them that are
// worth their coefficient. Coefficients are not filled in.
std::vector<LawTerm> PmnfTerms(const LawSource& source, const LawSettings& settings);

}  // namespace reckon::learn
