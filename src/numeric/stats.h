// Order statistics and moments on plain numbers.
#pragma once

#include <span>
#include <vector>

namespace reckon::numeric {

// Mean of a non-empty span.
double Mean(std::span<const double> values);

// Median of a non-empty span; the mean of the middle two for an even count.
double Median(std::span<const double> values);

// The smallest value such that at least ceil(share * (n + 1)) of n values are not above it: the
// quantile of split-conformal prediction, which covers a new exchangeable value with probability
// >= share. The largest value when n is too small for that. Non-empty span, 0 < share < 1.
double ConformalQuantile(std::span<const double> values, double share);

// Spearman's correlation of ranks, ties at their mean rank; 0 when one side is constant. Same size.
double RankCorrelation(std::span<const double> a, std::span<const double> b);

// Distinct values, ascending.
std::vector<double> Distinct(std::span<const double> values);

}  // namespace reckon::numeric
